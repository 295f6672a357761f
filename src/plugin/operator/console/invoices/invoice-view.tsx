/** One invoice: its customer and status, the next step and its reason, the possible operations, and the whole history, grouped by cause. */

import { capitalize } from '../../../../core/base/sentence-case.ts';
import { formatMoney } from '../../../mails/format-money.ts';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import type { InvoiceHistory } from '../../../store/reports/invoice-history.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import type { OperationName } from '../../operations/operations.ts';
import { formatState, listSummary } from '../../text/describe-summary.ts';
import { countTimeline, listTimeline } from '../../text/list-timeline.ts';
import type { OperationPreview } from '../../text/preview-operation.ts';
import { standingOf } from '../../text/preview-operation.ts';
import type { Reader } from '../page-reader.ts';
import { CardName, CustomerLink, Fact, StateChip } from '../parts/cells.tsx';
import { MarkedWords } from '../parts/marked-words.tsx';
import { Moment } from '../parts/moment.tsx';
import { OperationForms } from '../parts/operation-form.tsx';
import { Timeline } from '../timeline/timeline.tsx';

export interface ShownInvoice {
  readonly reader: Reader;
  readonly id: string;
  readonly history: InvoiceHistory;
  /** Undefined if no payment of it failed, as far as is known. */
  readonly failure: Failure | undefined;
  /** Where Stripe shows it, if that is known. */
  readonly stripeUrl: string | undefined;
  /** The session's token for forms. */
  readonly token: string;
  readonly previewed: ReadonlyMap<OperationName, OperationPreview>;
}

export function InvoiceView(shown: ShownInvoice) {
  const { id, history, failure, stripeUrl, reader } = shown;
  const entries = listTimeline([{ id, history }]);
  return (
    <>
      <div class="head">
        <h1>
          {failure === undefined ? (
            'Invoice '
          ) : (
            <>
              {formatMoney(failure.amount, failure.currency, reader.locale)}{' '}
              <StateChip failure={failure} reader={reader} />{' '}
            </>
          )}
          <code>{id}</code>
        </h1>
        {stripeUrl && (
          <a href={stripeUrl} rel="noreferrer">
            In Stripe’s Dashboard
          </a>
        )}
      </div>
      <section class={`card ${history.invoice?.status === 'paid' ? 'good' : 'calm'}`}>
        <h2>Status</h2>
        <dl class="facts">
          <Fact name="State">{capitalize(formatState(history.invoice))}</Fact>
          {listSummary(id, history).map(({ about, text }) => (
            <Fact name={capitalize(about)}>
              <MarkedWords text={capitalize(text)} reader={reader} />
            </Fact>
          ))}
        </dl>
      </section>
      {(failure ?? history.invoice) && (
        <section class="card calm">
          <h2>About</h2>
          <dl class="facts">
            {failure && <Payer failure={failure} reader={reader} />}
            {history.invoice && <Ids invoice={history.invoice} reader={reader} />}
          </dl>
        </section>
      )}
      {isCollectable(history) && <Operations {...shown} />}
      <Timeline
        entries={entries}
        reader={reader}
        aside={<span class="soft">{countTimeline(entries)}</span>}
      />
    </>
  );
}

export function isCollectable({ invoice }: InvoiceHistory): boolean {
  return invoice === undefined || invoice.status === 'open' || invoice.status === 'uncollectible';
}

function Payer({ failure, reader }: { failure: Failure; reader: Reader }) {
  return (
    <>
      <Fact name="Customer">
        <CustomerLink {...failure} reader={reader} />
      </Fact>
      <Fact name="Plan">{failure.planName ?? failure.plan ?? '–'}</Fact>
      <Fact name="Card">
        <CardName failure={failure} />
      </Fact>
      <Fact name="First failed">
        <Moment at={failure.failedAt} reader={reader} />
      </Fact>
    </>
  );
}

interface IdsProps {
  readonly invoice: NonNullable<InvoiceHistory['invoice']>;
  readonly reader: Reader;
}

function Ids({ invoice: { customerId, subscriptionId, account }, reader }: IdsProps) {
  const ids = [
    ['Subscription', subscriptionId],
    ['Account', account === OWN_ACCOUNT ? null : account],
  ] as const;
  return (
    <>
      <Fact name="Customer’s id">
        <CustomerLink {...{ account, customerId, reader }} customerName={null} customerEmail={null} />
      </Fact>
      {ids.map(
        ([name, id]) =>
          id !== null && (
            <Fact name={name}>
              <code>{id}</code>
            </Fact>
          ),
      )}
    </>
  );
}

/** Each asks back by being opened first. */
function Operations({ id, history, token, reader, previewed }: ShownInvoice) {
  return (
    <section class="card calm" aria-label="What can be done">
      <div class="acts">
        <OperationForms
          about="invoice"
          standing={standingOf(history)}
          {...{ token, reader, previewed, back: `invoices/${id}`, fields: { invoice: id } }}
          zones={[...new Set([reader.zone, 'UTC'])]}
        />
      </div>
    </section>
  );
}
