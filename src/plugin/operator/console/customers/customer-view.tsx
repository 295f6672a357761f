/** One customer: standing, open invoices, one timeline over all invoices, facts, and the possible operations. */

import { DateTime } from 'luxon';
import { formatMoney } from '../../../mails/format-money.ts';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import { describeCustomer } from '../../lists/customer-standing.ts';
import type { TimelineEntry } from '../../text/describe-attempt.ts';
import { describeState } from '../../text/describe-state.ts';
import { Copy, StateChip } from '../parts/cells.tsx';
import { MarkedWords } from '../parts/marked-words.tsx';
import { Moment } from '../parts/moment.tsx';
import { OperationForm } from '../parts/operation-form.tsx';
import { type Column, figures, Rows } from '../parts/wide-table.tsx';
import { Timeline } from '../timeline/timeline.tsx';
import { CustomerFacts, planOf, SHOWN, type Show, type ShownCustomer } from './customer-facts.tsx';
import { amountsOf } from './customer-list-view.tsx';

const KINDS: Readonly<Record<Exclude<Show, 'all'>, readonly TimelineEntry['kind'][]>> = {
  charges: ['charge', 'refund', 'dispute'],
  emails: ['email'],
  decisions: ['decision'],
};

export function CustomerView(shown: ShownCustomer) {
  const { id, record, failures, forgotten, nextStep, reader } = shown;
  const open = failures.filter(({ state }) => state === 'open' || state === 'waiting');
  const plans = record.subscriptions.map((one) => `${planOf(one)}, ${describeState(one.status)}`);
  return (
    <>
      <div>
        <a class="up" href={`${reader.root}customers`}>
          Customers
        </a>
        <h1>
          <bdi>{record.name ?? record.email ?? id}</bdi> <Standing {...shown} as="chip" />
        </h1>
        <p class="soft">
          {record.email} {record.email && <Copy text={record.email} />}
          {plans.join(' · ')}
        </p>
      </div>
      <div class="page">
        <div class="column">
          <section class="card next">
            <h2 class="soft">Standing</h2>
            <p class="step">
              <Standing {...shown} as="line" />{' '}
              {nextStep !== undefined && (
                <span class="soft">
                  <MarkedWords text={nextStep} reader={reader} as="short" />
                </span>
              )}
            </p>
            {!forgotten && <Operations {...shown} unpaid={open[0]} />}
          </section>
          {open.length > 0 && <OpenInvoices {...shown} open={open} />}
          <History {...shown} />
        </div>
        <div class="column">
          <CustomerFacts {...shown} />
          <Erasure {...shown} />
        </div>
      </div>
    </>
  );
}

function Standing({ state, reader, as }: ShownCustomer & { readonly as: 'chip' | 'line' }) {
  const { label, tone, line } = describeCustomer(state, (iso) =>
    DateTime.fromISO(iso).setZone(reader.zone).setLocale('en').toFormat('d LLL yyyy'),
  );
  return as === 'chip' ? <span class={`chip ${tone}`}>{label}</span> : <b>{line}.</b>;
}

const addressOf = (
  { id, account }: Pick<ShownCustomer, 'id' | 'account'>,
  more: Record<string, string> = {},
) => {
  const query = new URLSearchParams({ ...(account === OWN_ACCOUNT ? {} : { account }), ...more }).toString();
  return `customers/${encodeURIComponent(id)}${query && `?${query}`}`;
};

/** Each is opened first, then confirmed. */
function Operations({
  unpaid,
  stripeUrl,
  ...shown
}: ShownCustomer & { readonly unpaid: Failure | undefined }) {
  const { id, account, state, token, reader, previewed } = shown;
  const place = { token, reader, back: addressOf(shown), fields: { customer: id, account } };
  const collection = state.stopped ? 'resumeCollection' : 'stopCollection';
  return (
    <div class="acts">
      <OperationForm {...place} name="cardUpdateUrl" />
      {unpaid && (
        <OperationForm
          {...place}
          name="sendEmailAgain"
          title="Ask for new card"
          button="Send the email"
          fields={{ invoice: unpaid.invoiceId, account, template: 'card_update' }}
        />
      )}
      <OperationForm {...place} name={collection} previewed={previewed.get(collection)} />
      {stripeUrl && (
        <a class="button plain" href={stripeUrl} rel="noreferrer">
          Open in Stripe
        </a>
      )}
    </div>
  );
}

function OpenInvoices({
  open,
  entries,
  record,
  reader,
}: ShownCustomer & { readonly open: readonly Failure[] }) {
  const lastOf = ({ invoiceId }: Failure) =>
    entries.find(({ invoices, isPlan }) => !isPlan && invoices.includes(invoiceId));
  const columns: readonly Column<Failure>[] = [
    {
      name: 'Invoice',
      cell: ({ invoiceId, number }) => (
        <a href={`${reader.root}invoices/${encodeURIComponent(invoiceId)}`}>{number ?? invoiceId}</a>
      ),
    },
    { name: 'Status', cell: (failure) => <StateChip failure={failure} reader={reader} /> },
    { name: 'First failed', cell: ({ failedAt }) => <Moment at={failedAt} reader={reader} as="day" /> },
    {
      name: 'Last step',
      cell: (failure) => {
        const last = lastOf(failure);
        return (
          last && (
            <>
              {STEPS[last.kind]} <Moment at={last.at} reader={reader} as="short" />
            </>
          )
        );
      },
    },
    figures('Amount', ({ amount, currency }) => formatMoney(amount, currency, reader.locale)),
  ];
  return (
    <section class="card flush">
      <h2>
        Open invoices <span class="soft">{open.length} unpaid</span>
      </h2>
      <table class="open">
        <Rows columns={columns} rows={open} />
        <tfoot>
          {amountsOf(record.sums, ['open', 'waiting'], reader.locale).map(({ net }) => (
            <tr>
              <th scope="row">Total</th>
              <td colSpan={4} class="number">
                {net}
              </td>
            </tr>
          ))}
        </tfoot>
      </table>
    </section>
  );
}

const STEPS: Readonly<Record<TimelineEntry['kind'], string>> = {
  charge: 'Charged',
  email: 'Emailed',
  dispute: 'Disputed',
  refund: 'Refunded',
  decision: 'Decided',
};

function History({ entries, show, reader, failures, ...of }: ShownCustomer) {
  const filters = (
    <nav class="tabs" aria-label="Timeline">
      {SHOWN.map((one) => (
        <a
          href={`${reader.root}${addressOf(of, one === 'all' ? {} : { show: one })}`}
          aria-current={one === show ? 'true' : undefined}
        >
          {`${one.charAt(0).toUpperCase()}${one.slice(1)}`}
        </a>
      ))}
    </nav>
  );
  const shown = show === 'all' ? entries : entries.filter(({ kind }) => KINDS[show].includes(kind));
  const numbers = new Map(failures.map(({ invoiceId, number }) => [invoiceId, number ?? invoiceId]));
  return <Timeline entries={shown} reader={reader} numbers={numbers} aside={filters} />;
}

function Erasure({ forgotten, ...shown }: ShownCustomer) {
  const { id, account, token, reader, previewed } = shown;
  if (forgotten) return null;
  const place = { token, reader, back: addressOf(shown), fields: { customer: id, account } };
  return (
    <section class="card erase" aria-label="Erase data">
      <p class="soft">
        Erasing removes personal data for good and stops collection. Amounts, outcomes and IDs stay.
      </p>
      <OperationForm {...place} name="forget" previewed={previewed.get('forget')} />
    </section>
  );
}
