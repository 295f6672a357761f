/** One invoice: the next step and its reason, the possible operations, the timeline, and the facts. */

import { capitalize } from '../../../../core/base/sentence-case.ts';
import { formatMoney } from '../../../mails/format-money.ts';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import type { InvoiceHistory } from '../../../store/reports/invoice-history.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import type { OperationName } from '../../operations/operations.ts';
import { describeNextStep } from '../../text/describe-next-step.ts';
import { listSummary } from '../../text/describe-summary.ts';
import { countTimeline, listTimeline } from '../../text/list-timeline.ts';
import type { OperationPreview } from '../../text/preview-operation.ts';
import { standingOf } from '../../text/preview-operation.ts';
import type { Reader } from '../page-reader.ts';
import { CardName, Copy, CustomerLink, Fact, StateChip } from '../parts/cells.tsx';
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
  const { id, history, failure, reader } = shown;
  const entries = listTimeline([{ id, history }]);
  const number = history.invoice?.number ?? id;
  return (
    <>
      <div>
        <a class="up" href={`${reader.root}invoices`}>
          Invoices
        </a>
        <h1>
          {failure ? nameOf(failure) : 'Invoice'}{' '}
          {failure && (
            <>
              <span class="soft">{formatMoney(failure.amount, failure.currency, reader.locale)}</span>{' '}
              <StateChip failure={failure} reader={reader} />
            </>
          )}
        </h1>
        <p class="soft">
          Invoice {number} <Copy text={number} />
          {failure?.planName}
        </p>
      </div>
      <div class="page">
        <div class="column">
          <NextStep {...shown} />
          <Timeline
            entries={entries}
            reader={reader}
            aside={<span class="soft">{countTimeline(entries)}</span>}
          />
        </div>
        <Facts {...shown} />
      </div>
    </>
  );
}

const nameOf = ({ customerName, customerEmail, customerId }: Failure) =>
  customerName ?? customerEmail ?? customerId ?? 'Unknown customer';

export function isCollectable({ invoice }: InvoiceHistory): boolean {
  return invoice === undefined || invoice.status === 'open' || invoice.status === 'uncollectible';
}

/** One sentence with its reason, the technical status behind it, and what can be done. */
function NextStep({ id, history, failure, stripeUrl, token, reader, previewed }: ShownInvoice) {
  const isDisputed = (failure?.disputed ?? 0) > 0;
  return (
    <section class="card next">
      <h2 class="soft">Next step</h2>
      <p class="step">
        <MarkedWords text={describeNextStep(history, failure?.need)} reader={reader} as="short" />
      </p>
      <div class="acts">
        {isCollectable(history) && (
          <OperationForms
            about="invoice"
            standing={standingOf(history)}
            {...{ token, reader, previewed, back: `invoices/${id}`, fields: { invoice: id } }}
            zones={[...new Set([reader.zone, 'UTC'])]}
          />
        )}
        {stripeUrl && (
          <a class={isDisputed ? 'button primary' : 'button plain'} href={stripeUrl} rel="noreferrer">
            {isDisputed ? 'Respond in Stripe' : 'Open in Stripe'}
          </a>
        )}
      </div>
      <details>
        <summary>Status in detail</summary>
        <dl class="facts">
          {listSummary(id, history).map(({ about, text }) => (
            <Fact name={capitalize(about)}>
              <MarkedWords text={capitalize(text)} reader={reader} />
            </Fact>
          ))}
        </dl>
      </details>
    </section>
  );
}

function Facts({ id, history: { invoice, attempts }, failure, reader }: ShownInvoice) {
  const ours = attempts.filter(({ source }) => source === 'ours').length;
  const sums = [
    ['Outstanding', invoice?.amountRemaining],
    ['Paid', failure?.state === 'recovered' ? failure.amount : 0],
    ['Returned', failure?.returned],
    ['Disputed', failure?.disputed],
  ] as const;
  const currency = failure?.currency ?? invoice?.currency ?? '';
  const ids = [
    ['Invoice', id],
    ['Customer', invoice?.customerId],
    ['Subscription', invoice?.subscriptionId],
    ['Account', invoice?.account === OWN_ACCOUNT ? undefined : invoice?.account],
  ] as const;
  return (
    <section class="card">
      <h2>Facts</h2>
      <dl class="facts">
        {sums.map(
          ([name, amount]) =>
            amount !== undefined &&
            amount > 0 && (
              <Fact name={name}>
                <b>{formatMoney(amount, currency, reader.locale)}</b>
              </Fact>
            ),
        )}
        {failure && (
          <>
            <Fact name="Customer">
              <CustomerLink {...failure} reader={reader} />
            </Fact>
            <Fact name="Card">
              <CardName failure={failure} />
              {failure.country !== null && `, ${failure.country}`}
            </Fact>
            <Fact name="Plan">{failure.planName ?? failure.plan ?? '–'}</Fact>
            <Fact name="First failed">
              <Moment at={failure.failedAt} reader={reader} />
            </Fact>
          </>
        )}
        <Fact name="Attempts">
          {attempts.length - ours} by Stripe, {ours} {ours === 1 ? 'retry' : 'retries'}
        </Fact>
        {ids.map(
          ([name, text]) =>
            text && (
              <Fact name={name}>
                <code>{text}</code> <Copy text={text} />
              </Fact>
            ),
        )}
      </dl>
    </section>
  );
}
