/** One customer: standing, open invoices, one timeline over all invoices, facts, and the possible operations. */

import { DateTime } from 'luxon';
import { capitalize } from '../../../../core/base/sentence-case.ts';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import { findInvoiceHistory } from '../../../store/reports/invoice-history.ts';
import { findCustomerRecord } from '../../../store/reports/money/customer-record.ts';
import { type Failure, listFailures } from '../../../store/reports/money/list-failures.ts';
import { refreshForReader } from '../../../store/reports/money/refresh-failures.ts';
import { findForgotten } from '../../../store/tables/forgotten.ts';
import { describeCustomer } from '../../lists/customer-standing.ts';
import { readCustomerState } from '../../lists/customer-state.ts';
import type { TimelineEntry } from '../../text/describe-attempt.ts';
import { describeNextStep } from '../../text/describe-next-step.ts';
import { describeState } from '../../text/describe-state.ts';
import { listTimeline } from '../../text/list-timeline.ts';
import { previewOperation } from '../../text/preview-operation.ts';
import { stripeUrlOf } from '../invoices/invoice-page.tsx';
import { ID, notFound, type Page, ROWS } from '../page-answer.ts';
import { useReader } from '../page-reader.ts';
import { Copy, InvoiceLink, Link, Moment, Money, placeOfCustomer, StateChip } from '../parts/cells.tsx';
import { MarkedWords } from '../parts/marked-words.tsx';
import { OperationForm } from '../parts/operation-form.tsx';
import { type Column, figures, Rows } from '../parts/wide-table.tsx';
import { Timeline } from '../timeline/timeline.tsx';
import { CustomerFacts, planOf, SHOWN, type Show, type ShownCustomer } from './customer-facts.tsx';
import { netOf, UNPAID } from './customer-list.tsx';

/** Invoices whose history the timeline has. */
const MOST = 20;

export const customerPage: Page = async (deps, { request }) => {
  const { database, operations } = deps;
  const id = String(request.params.id);
  const account = typeof request.query.account === 'string' ? request.query.account : OWN_ACCOUNT;
  const key = { account, customerId: id };
  await refreshForReader(database);
  const isValid = ID.test(id) && ID.test(account);
  const record = isValid ? await findCustomerRecord(database, key) : undefined;
  const { clock } = operations;
  const state = record && (await readCustomerState({ database, clock, config: operations.config() }, key));
  if (!record || !state)
    return notFound(
      'Unknown customer',
      `Nothing is known about ${id}.`,
      'A customer is known here from the first event about a subscription or a failed payment on.',
    );
  const failures = await listFailures(database, { account, customer: id }, { sort: 'failed', limit: ROWS });
  const histories = [];
  for (const { invoiceId } of failures.slice(0, MOST)) {
    const history = await findInvoiceHistory(database, invoiceId, account);
    if (history) histories.push({ id: invoiceId, history });
  }
  const latest = failures.find((one) => UNPAID.includes(one.state));
  const open = latest && histories.find((one) => one.id === latest.invoiceId);
  const fields = { customer: id, account };
  const collection = state.stopped ? 'resumeCollection' : 'stopCollection';
  const shown: ShownCustomer = {
    id,
    account,
    record,
    state,
    failures,
    entries: listTimeline(histories),
    nextStep: open && !state.stopped ? describeNextStep(open.history, latest.need) : undefined,
    show: SHOWN.find((one) => one === request.query.show) ?? 'all',
    forgotten: await findForgotten(database, key),
    stripeUrl: stripeUrlOf(deps, 'customers', { id, account }),
    collection: { name: collection, previewed: await previewOperation(operations, collection, fields) },
    erasing: await previewOperation(operations, 'forget', fields),
  };
  const title = record.name ?? record.email ?? id;
  return { title, here: 'customers', isLive: true, main: <Customer {...shown} title={title} /> };
};

function Customer({ title, ...shown }: ShownCustomer & { readonly title: string }) {
  const { record, failures, forgotten, nextStep } = shown;
  const open = failures.filter(({ state }) => UNPAID.includes(state));
  const plans = record.subscriptions.map((one) => `${planOf(one)}, ${describeState(one.status)}`);
  const { zone } = useReader();
  const { label, tone, line } = describeCustomer(shown.state, (iso) =>
    DateTime.fromISO(iso).setZone(zone).setLocale('en').toFormat('d LLL yyyy'),
  );
  return (
    <>
      <div>
        <Link class="up" to="customers">
          Customers
        </Link>
        <h1>
          <bdi>{title}</bdi> <span class={`chip ${tone}`}>{label}</span>
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
              <b>{line}.</b>{' '}
              {nextStep !== undefined && (
                <span class="soft">
                  <MarkedWords text={nextStep} as="short" />
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
          {!forgotten && <Erasure {...shown} />}
        </div>
      </div>
    </>
  );
}

/** The customer's page and parameter, for a form. */
const formOf = ({ id, account }: ShownCustomer) => ({
  back: placeOfCustomer({ id, account }),
  fields: { customer: id, account },
});

/** Each is opened first, then confirmed. */
function Operations({ unpaid, ...shown }: ShownCustomer & { readonly unpaid: Failure | undefined }) {
  const { account, collection, stripeUrl } = shown;
  const form = formOf(shown);
  return (
    <div class="acts">
      <OperationForm {...form} name="cardUpdateUrl" />
      {unpaid && (
        <OperationForm
          {...form}
          name="sendEmailAgain"
          title="Ask for new card"
          button="Send the email"
          fields={{ invoice: unpaid.invoiceId, account, template: 'card_update' }}
        />
      )}
      <OperationForm {...form} {...collection} />
      {stripeUrl && (
        <a class="button plain" href={stripeUrl} rel="noreferrer">
          Open in Stripe
        </a>
      )}
    </div>
  );
}

function OpenInvoices({ open, entries, record }: ShownCustomer & { readonly open: readonly Failure[] }) {
  const columns: readonly Column<Failure>[] = [
    {
      name: 'Invoice',
      cell: ({ invoiceId, number }) => <InvoiceLink id={invoiceId}>{number ?? invoiceId}</InvoiceLink>,
    },
    { name: 'Status', cell: StateChip },
    { name: 'First failed', cell: ({ failedAt }) => <Moment at={failedAt} as="day" /> },
    {
      name: 'Last step',
      cell: ({ invoiceId }) => {
        const last = entries.find(({ invoices, isPlan }) => !isPlan && invoices.includes(invoiceId));
        return (
          last && (
            <>
              {STEPS[last.kind]} <Moment at={last.at} as="short" />
            </>
          )
        );
      },
    },
    figures('Amount', Money),
  ];
  return (
    <section class="card flush">
      <h2>
        Open invoices <span class="soft">{open.length} unpaid</span>
      </h2>
      <table class="open">
        <Rows columns={columns} rows={open} />
        <tfoot>
          {netOf(record.sums, UNPAID).map((sum) => (
            <tr>
              <th scope="row">Total</th>
              <td colSpan={4} class="number">
                <Money {...sum} />
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

const KINDS: Readonly<Record<Exclude<Show, 'all'>, readonly TimelineEntry['kind'][]>> = {
  charges: ['charge', 'refund', 'dispute'],
  emails: ['email'],
  decisions: ['decision'],
};

function History({ entries, show, failures, ...of }: ShownCustomer) {
  const filters = (
    <nav class="tabs" aria-label="Timeline">
      {SHOWN.map((one) => (
        <Link
          to={placeOfCustomer(of, one === 'all' ? {} : { show: one })}
          aria-current={one === show ? 'true' : undefined}
        >
          {capitalize(one)}
        </Link>
      ))}
    </nav>
  );
  const shown = show === 'all' ? entries : entries.filter(({ kind }) => KINDS[show].includes(kind));
  const numbers = new Map(failures.map(({ invoiceId, number }) => [invoiceId, number ?? invoiceId]));
  return <Timeline entries={shown} numbers={numbers} aside={filters} />;
}

function Erasure(shown: ShownCustomer) {
  return (
    <section class="card erase" aria-label="Erase data">
      <p class="soft">
        Erasing removes personal data for good and stops collection. Amounts, outcomes and IDs stay.
      </p>
      <OperationForm {...formOf(shown)} name="forget" previewed={shown.erasing} />
    </section>
  );
}
