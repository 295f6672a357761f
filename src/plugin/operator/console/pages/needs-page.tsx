/** What waits for a person: by cause, each invoice with the money that hangs on it and the one thing that helps. */

import { beginSentence, capitalize } from '../../../../core/base/sentence-case.ts';
import { HiddenFields } from '../../../../core/web/page-document.tsx';
import { formatMoney } from '../../../mails/format-money.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import type { QuarantinedRecord } from '../../../store/tables/sync/outbox.ts';
import { listNeeds, type NeedGroup } from '../../lists/needs-attention.ts';
import { operationOf } from '../../operations/operations.ts';
import { describeCode, describePerson } from '../../text/describe-code.ts';
import { findAwaitedUntil, NEED_ROWS, type NeedAction, WAIT_FOR_ANSWER } from '../../text/describe-need.ts';
import { exactMoment } from '../../text/exact-moment.ts';
import { stripeUrlOf } from '../invoices/invoice-page.tsx';
import { isForSeveral } from '../operation-routes.ts';
import type { Page, PageDeps } from '../page-answer.ts';
import { type Reader, useReader } from '../page-reader.ts';
import { Count, CustomerLink, InvoiceLink, Link, Moment, pageOf } from '../parts/cells.tsx';
import { MarkedWords } from '../parts/marked-words.tsx';
import { OperationForm } from '../parts/operation-form.tsx';
import { figures, WideTable } from '../parts/wide-table.tsx';

/** Invoices of each cause; the list of invoices has them all. */
const EACH = 10;

export const needsPage: Page = async ({ database, config }) => {
  const groups = await listNeeds(database, EACH, { rates: config.exchangeRates });
  const main = (
    <>
      <div class="head">
        <h1>Needs attention</h1>
        <Link to="invoices?state=needs_attention">View as list</Link>
      </div>
      {groups.length === 0 && <p class="soft">No invoices need attention.</p>}
      {groups.length > 1 && (
        <nav aria-label="Causes">
          <ul class="legend">
            {groups.map(({ code, count }) => (
              <li>
                <a href={`#${code}`}>{NEED_ROWS[code].words}</a> <b>{count}</b>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {groups.map((group) => (
        <Group {...{ group, config }} />
      ))}
    </>
  );
  return { title: 'Needs attention', here: 'needs', isLive: true, main };
};

interface ShownGroup extends Pick<PageDeps, 'config'> {
  readonly group: NeedGroup;
}

function Group({ group, config }: ShownGroup) {
  const { locale } = useReader();
  const { code, count, money, invoices, records } = group;
  const { words, advice, action } = NEED_ROWS[code];
  const sums = money.map(({ amount, currency }) => formatMoney(amount, currency, locale)).join(' + ');
  const rest = count - invoices.length - records.length;
  return (
    <section class="card" id={code}>
      <div class="head">
        <h2>
          {words}: <Count of={count} />
        </h2>
        <b>{sums}</b>
      </div>
      <p class="soft">{advice}</p>
      {invoices.length > 0 && <Invoices {...{ group, config }} />}
      {invoices.length > 1 && <Several {...group} />}
      {records.length > 0 && (
        <ul class="lines">
          {records.map((record) => (
            <Refused {...{ record, action }} />
          ))}
        </ul>
      )}
      {rest > 0 && (
        <p>
          <Link to={code === 'refused' ? 'deliveries#quarantined' : `invoices?need=${code}`}>
            All <Count of={count} />
          </Link>
        </p>
      )}
    </section>
  );
}

/** The rows that are checked, with one reason. */
function Several({ code, invoices }: NeedGroup) {
  const { kept, role, root, token } = useReader();
  const { action } = NEED_ROWS[code];
  const isKept = invoices.some((one) => isChosen(one, kept));
  if (role === 'reader') return null;
  const place = `${root}operations`;
  const own = 'operation' in action && isForSeveral(action.operation) ? action : undefined;
  const stop = operationOf('stop').form;
  return (
    <details class="act" name="act" open={isKept}>
      <summary>Actions for selected</summary>
      <form id={`several-${code}`} method="post" action={`${place}/${own?.operation ?? 'stop'}/several`}>
        <HiddenFields fields={{ token, back: 'needs', ...own?.fields }} />
        <label>
          Why
          <input
            name="reason"
            value={isKept ? kept.reason : undefined}
            maxLength={500}
            placeholder="for the history of each"
            autocomplete="off"
          />
        </label>
        {own && <button type="submit">{own.title}</button>}
        <button type="submit" class="danger" formaction={`${place}/stop/several`}>
          {stop?.title}
        </button>
      </form>
    </details>
  );
}

/** Whether it was checked when the session was over, or the password was asked for again. */
function isChosen(failure: Failure, { rows = '' }: Reader['kept']): boolean {
  return rows.split(',').includes(keyOf(failure));
}

const keyOf = ({ account, invoiceId }: Failure) => `${account} ${invoiceId}`;

function Invoices({ group: { code, invoices }, config }: ShownGroup) {
  const { locale, role, root, kept, answer } = useReader();
  const { words, action } = NEED_ROWS[code];
  const canChoose = role !== 'reader' && invoices.length > 1;
  const columns = [
    figures('Amount', (failure: Failure) => {
      const owed = formatMoney(failure.amount, failure.currency, locale);
      return (
        <>
          {canChoose && (
            <input
              type="checkbox"
              name="rows"
              value={keyOf(failure)}
              checked={isChosen(failure, kept)}
              form={`several-${code}`}
              aria-label={`Choose ${owed} of ${describePerson([failure.customerName]) || failure.invoiceId}`}
            />
          )}{' '}
          <a id={failure.invoiceId} href={`${root}${pageOf('invoices', failure.invoiceId)}`}>
            {owed}
          </a>
        </>
      );
    }),
    { name: 'Customer', cell: CustomerLink },
    {
      name: 'Failed',
      isNamed: true,
      cell: ({ failedAt, reason }: Failure) => (
        <>
          <Moment at={failedAt} as="short" />
          {reason !== null && <small>{capitalize(describeCode(reason))}</small>}
        </>
      ),
    },
    {
      name: 'Next step',
      cell: (failure: Failure) => {
        const answered = answer?.rowAnswers?.[keyOf(failure)];
        return (
          <>
            {answered && (
              <small>
                {answered.title}: <MarkedWords text={beginSentence(answered.lines.join(' '))} />
              </small>
            )}
            <Help {...{ failure, action, config }} />
          </>
        );
      },
    },
  ];
  return <WideTable label={words} isStacked columns={columns} rows={invoices} />;
}

interface HelpProps extends Pick<PageDeps, 'config'> {
  readonly failure: Failure;
  readonly action: NeedAction;
}

function Help({ failure, action, config }: HelpProps) {
  const { now } = useReader();
  const { account, invoiceId, customerId, askedAt } = failure;
  if ('operation' in action) {
    if (findAwaitedUntil(failure, now))
      return (
        <>
          Emailed {askedAt && <Moment at={askedAt} as="short" />}: {WAIT_FOR_ANSWER}
        </>
      );
    return (
      <OperationForm
        {...formOf(action)}
        fields={{ invoice: invoiceId, account, ...action.fields }}
        previewed={action.operation === 'sendEmailAgain' ? { will: [describeSending(failure)] } : undefined}
      />
    );
  }
  const id = action.inStripe === 'customers' ? customerId : invoiceId;
  const url = id === null ? undefined : stripeUrlOf({ config }, action.inStripe, { id, account });
  // Another account's Dashboard is open only to its merchant: this page then shows the known facts.
  return url === undefined ? (
    <InvoiceLink id={invoiceId}>{action.title}</InvoiceLink>
  ) : (
    <a href={url} rel="noreferrer">
      {action.title}
    </a>
  );
}

const formOf = ({ operation, title, button }: Extract<NeedAction, { operation: unknown }>) =>
  ({ name: operation, title, button, back: 'needs' }) as const;

function describeSending({ customerEmail, askedAt }: Failure): string {
  const last = askedAt === null ? 'no email has asked for it yet' : `last emailed at ${exactMoment(askedAt)}`;
  return `To ${customerEmail ?? 'a customer without an address'}; ${last}`;
}

function Refused({ record, action }: { record: QuarantinedRecord; action: NeedAction }) {
  const { kind, id, answer } = record;
  return (
    <li>
      <code>{id}</code> ({kind}): {answer ?? 'no answer is recorded'}
      {'operation' in action && <OperationForm {...formOf(action)} fields={{ refused: id }} />}
    </li>
  );
}
