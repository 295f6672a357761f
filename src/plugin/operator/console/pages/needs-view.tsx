/** What waits for a person: by cause, each invoice with the money that hangs on it and the one thing that helps. */

import { useContext } from 'preact/hooks';
import { beginSentence, capitalize } from '../../../../core/base/sentence-case.ts';
import { HiddenFields } from '../../../../core/web/page-document.tsx';
import { formatMoney } from '../../../mails/format-money.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import type { QuarantinedRecord } from '../../../store/tables/sync/outbox.ts';
import type { NeedGroup } from '../../lists/needs-attention.ts';
import { operationOf } from '../../operations/operations.ts';
import { describeCode, describePerson } from '../../text/describe-code.ts';
import {
  findAwaitedUntil,
  NEED_ROWS,
  type NeedAction,
  type NeedCode,
  WAIT_FOR_ANSWER,
} from '../../text/describe-need.ts';
import { exactMoment } from '../../text/exact-moment.ts';
import { isForSeveral } from '../operation-routes.ts';
import type { Reader } from '../page-reader.ts';
import { CustomerLink } from '../parts/cells.tsx';
import { MarkedWords } from '../parts/marked-words.tsx';
import { Moment } from '../parts/moment.tsx';
import { type KeptForm, KeptForms, OperationForm, ReaderRole, RowAnswers } from '../parts/operation-form.tsx';
import { type Column, figures, WideTable } from '../parts/wide-table.tsx';

interface ShownNeeds {
  readonly groups: readonly NeedGroup[];
  readonly reader: Reader;
  readonly token: string;
  /** Where Stripe shows it, if that is known. */
  readonly stripeUrl: (
    kind: 'invoices' | 'customers',
    of: { readonly id: string; readonly account: string },
  ) => string | undefined;
}

export function NeedsView({ groups, ...shown }: ShownNeeds) {
  const { root } = shown.reader;
  return (
    <>
      <div class="head">
        <h1>Needs attention</h1>
        <a href={`${root}invoices?state=needs_attention`}>View as list</a>
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
        <Group group={group} {...shown} />
      ))}
    </>
  );
}

interface ShownGroup extends Omit<ShownNeeds, 'groups'> {
  readonly group: NeedGroup;
}

function Group({ group, ...shown }: ShownGroup) {
  const { code, count, money, invoices, records } = group;
  const { words, advice, action } = NEED_ROWS[code];
  const { root, locale } = shown.reader;
  const sums = money.map(({ amount, currency }) => formatMoney(amount, currency, locale)).join(' + ');
  const rest = count - invoices.length - records.length;
  const all = code === 'refused' ? `${root}deliveries#quarantined` : `${root}invoices?need=${code}`;
  return (
    <section class="card" id={code}>
      <div class="head">
        <h2>
          {words}: {count.toLocaleString(locale)}
        </h2>
        <b>{sums}</b>
      </div>
      <p class="soft">{advice}</p>
      {invoices.length > 0 && (
        <WideTable label={words} isStacked columns={useColumns(group, shown)} rows={invoices} />
      )}
      {invoices.length > 1 && <Several code={code} action={action} invoices={invoices} {...shown} />}
      {records.length > 0 && (
        <ul class="lines">
          {records.map((record) => (
            <Refused record={record} action={action} {...shown} />
          ))}
        </ul>
      )}
      {rest > 0 && (
        <p>
          <a href={all}>All {count.toLocaleString(locale)}</a>
        </p>
      )}
    </section>
  );
}

/** The rows that are checked, with one reason. */
function Several({ code, action, invoices, reader, token }: ShownSeveral) {
  const kept = useContext(KeptForms);
  const isKept = invoices.some((one) => isChosen(one, kept));
  if (useContext(ReaderRole) === 'reader') return null;
  const place = `${reader.root}operations`;
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

interface ShownSeveral extends Omit<ShownRow, 'stripeUrl'> {
  readonly code: NeedCode;
  readonly invoices: readonly Failure[];
}

/** Whether it was checked when the session was over, or the password was asked for again. */
function isChosen(failure: Failure, { rows = '' }: KeptForm): boolean {
  return rows.split(',').includes(keyOf(failure));
}

const keyOf = ({ account, invoiceId }: Failure) => `${account} ${invoiceId}`;

function useColumns({ code, invoices }: NeedGroup, shown: Omit<ShownNeeds, 'groups'>): Column<Failure>[] {
  const { reader } = shown;
  const canChoose = useContext(ReaderRole) !== 'reader' && invoices.length > 1;
  const kept = useContext(KeptForms);
  const answers = useContext(RowAnswers);
  return [
    figures('Amount', (failure) => {
      const owed = formatMoney(failure.amount, failure.currency, reader.locale);
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
          <a id={failure.invoiceId} href={pageOf(failure, reader)}>
            {owed}
          </a>
        </>
      );
    }),
    { name: 'Customer', cell: (failure) => <CustomerLink {...failure} reader={reader} /> },
    {
      name: 'Failed',
      isNamed: true,
      cell: ({ failedAt, reason }) => (
        <>
          <Moment at={failedAt} reader={reader} as="short" />
          {reason !== null && <small>{capitalize(describeCode(reason))}</small>}
        </>
      ),
    },
    {
      name: 'Next step',
      cell: (failure) => {
        const answer = answers[keyOf(failure)];
        return (
          <>
            {answer && (
              <small>
                {answer.title}: <MarkedWords text={beginSentence(answer.lines.join(' '))} reader={reader} />
              </small>
            )}
            <Help {...{ failure, action: NEED_ROWS[code].action }} {...shown} />
          </>
        );
      },
    },
  ];
}

interface ShownRow extends Omit<ShownNeeds, 'groups'> {
  readonly action: NeedAction;
}

interface HelpProps extends ShownRow {
  readonly failure: Failure;
}

function Help({ failure, action, reader, token, stripeUrl }: HelpProps) {
  const { account, invoiceId, customerId } = failure;
  if ('operation' in action) {
    if (findAwaitedUntil(failure, reader.now))
      return (
        <>
          Emailed {failure.askedAt && <Moment at={failure.askedAt} reader={reader} as="short" />}:{' '}
          {WAIT_FOR_ANSWER}
        </>
      );
    return (
      <OperationForm
        {...{ token, reader, back: 'needs', title: action.title, button: action.button }}
        name={action.operation}
        fields={{ invoice: invoiceId, account, ...action.fields }}
        previewed={action.operation === 'sendEmailAgain' ? { will: [describeSending(failure)] } : undefined}
      />
    );
  }
  const id = action.inStripe === 'customers' ? customerId : invoiceId;
  const url = id === null ? undefined : stripeUrl(action.inStripe, { id, account });
  // Another account's Dashboard is open only to its merchant: this page then shows the known facts.
  return url === undefined ? (
    <a href={pageOf(failure, reader)}>{action.title}</a>
  ) : (
    <a href={url} rel="noreferrer">
      {action.title}
    </a>
  );
}

function describeSending({ customerEmail, askedAt }: Failure): string {
  const last = askedAt === null ? 'no email has asked for it yet' : `last emailed at ${exactMoment(askedAt)}`;
  return `To ${customerEmail ?? 'a customer without an address'}; ${last}`;
}

const pageOf = ({ invoiceId }: Failure, { root }: Reader) =>
  `${root}invoices/${encodeURIComponent(invoiceId)}`;

function Refused({
  record: { kind, id, answer },
  action,
  reader,
  token,
}: ShownRow & { record: QuarantinedRecord }) {
  return (
    <li>
      <code>{id}</code> ({kind}): {answer ?? 'no answer is recorded'}
      {'operation' in action && (
        <OperationForm
          {...{ token, reader, back: 'needs', title: action.title, button: action.button }}
          name={action.operation}
          fields={{ refused: id }}
        />
      )}
    </li>
  );
}
