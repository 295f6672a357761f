/** One customer: outstanding and recovered amounts, invoices, cards, emails, and the possible operations. */

import { OWN_ACCOUNT } from '../../../settings/account.ts';
import type { ListedEmail } from '../../../store/reports/listed-emails.ts';
import type { CustomerRecord } from '../../../store/reports/money/customer-record.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import type { Forgotten } from '../../../store/tables/forgotten.ts';
import type { OperationName } from '../../operations/operations.ts';
import { describeState } from '../../text/describe-state.ts';
import type { OperationPreview } from '../../text/preview-operation.ts';
import { emailColumns } from '../emails/email-list-view.tsx';
import { invoiceColumns } from '../invoices/invoice-list-view.tsx';
import type { Reader } from '../page-reader.ts';
import { Fact, Figure } from '../parts/cells.tsx';
import { Moment } from '../parts/moment.tsx';
import { OperationForm, OperationForms } from '../parts/operation-form.tsx';
import { TableCard } from '../parts/wide-table.tsx';
import { amountsOf, countOf } from './customer-list-view.tsx';

export interface ShownCustomer {
  readonly previewed: ReadonlyMap<OperationName, OperationPreview>;
  readonly id: string;
  readonly account: string;
  readonly record: CustomerRecord;
  readonly failures: readonly Failure[];
  readonly emails: readonly ListedEmail[];
  /** When the customer was forgotten, if that is so. */
  readonly forgotten: Forgotten | undefined;
  readonly stripeUrl: string | undefined;
  /** The session's token for forms. */
  readonly token: string;
  readonly reader: Reader;
}

export function CustomerView(shown: ShownCustomer) {
  const { id, account, record, failures, emails, forgotten, stripeUrl, reader } = shown;
  return (
    <>
      <div class="head">
        <h1>
          {record.name ?? record.email ?? 'Customer'} <code>{id}</code>
        </h1>
        {stripeUrl && (
          <a href={stripeUrl} rel="noreferrer">
            In Stripe’s Dashboard
          </a>
        )}
      </div>
      <Figures record={record} reader={reader} />
      <section class="card calm">
        <h2>About</h2>
        <dl class="facts">
          {record.email !== null && <Fact name="Email">{record.email}</Fact>}
          {account !== OWN_ACCOUNT && (
            <Fact name="Account">
              <code>{account}</code>
            </Fact>
          )}
          {record.subscriptions.map(({ id: subscription, status, plan, planName }) => (
            <Fact name="Subscription">
              {planName ?? plan ?? 'Plan not known'}, {describeState(status)} <code>{subscription}</code>
            </Fact>
          ))}
          {forgotten && (
            <Fact name="Forgotten">
              <Moment at={forgotten.askedAt} reader={reader} />
            </Fact>
          )}
        </dl>
      </section>
      {!forgotten && <Operations {...shown} />}
      <TableCard
        {...{ title: 'Invoices', empty: 'No payment of this customer failed.', isStacked: true }}
        columns={invoiceColumns(reader, true)}
        rows={failures}
      />
      <TableCard
        {...{ title: 'Emails', empty: 'No email went to this customer.', isStacked: true }}
        columns={emailColumns(reader, true)}
        rows={emails}
      />
    </>
  );
}

function Figures({ record: { sums }, reader }: Pick<ShownCustomer, 'record' | 'reader'>) {
  const figures = [
    ['Unpaid', ['open', 'waiting']],
    ['Recovered', ['recovered']],
    ['Lost', ['lost']],
  ] as const;
  return (
    <dl class="figures">
      {figures.map(([name, states]) => {
        const count = countOf(sums, ...states);
        const amounts = amountsOf(sums, states, reader.locale);
        const invoices = `${count.toLocaleString(reader.locale)} ${count === 1 ? 'invoice' : 'invoices'}`;
        return (
          <Figure
            name={name}
            value={amounts.map(({ net }) => net).join(' + ') || '–'}
            text={[invoices, ...amounts.flatMap(({ notes }) => notes)].join('; ')}
          />
        );
      })}
    </dl>
  );
}

/** Each asks back by being opened first. */
function Operations({ id, account, failures, token, reader, previewed }: ShownCustomer) {
  const of = account === OWN_ACCOUNT ? '' : `?${new URLSearchParams({ account })}`;
  const shared = { token, reader, back: `customers/${id}${of}` };
  const unpaid = failures.find(({ state }) => state === 'open' || state === 'waiting');
  return (
    <section class="card calm" aria-label="What can be done">
      <div class="acts">
        {unpaid && (
          <OperationForm
            {...shared}
            name="sendEmailAgain"
            title="Ask for new card"
            button="Send the email"
            fields={{ invoice: unpaid.invoiceId, account, template: 'card_update' }}
          />
        )}
        <OperationForms
          {...shared}
          about="customer"
          previewed={previewed}
          fields={{ customer: id, account }}
        />
      </div>
    </section>
  );
}
