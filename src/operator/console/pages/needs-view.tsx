/** What waits for a person: by cause, each invoice with the money that hangs on it and the one thing that helps. */
import { useContext } from 'preact/hooks';
import { formatMoney } from '../../../email/format-money.ts';
import { beginSentence, capitalize } from '../../../kit/sentence-case.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import type { QuarantinedRecord } from '../../../store/tables/sync/outbox.ts';
import type { NeedGroup } from '../../lists/needs-you.ts';
import { operationOf } from '../../operations/operations.ts';
import { describeCode, describePerson } from '../../text/describe-code.ts';
import { NEED_ROWS, type NeedAction, type NeedCode } from '../../text/describe-need.ts';
import { isForSeveral } from '../operation-routes.ts';
import type { Reader } from '../page-reader.ts';
import { CustomerLink, WideTable } from '../parts/cells.tsx';
import { ColumnHeads, numbers } from '../parts/column-heads.tsx';
import { MarkedWords } from '../parts/marked-words.tsx';
import { Moment } from '../parts/moment.tsx';
import { type KeptForm, KeptForms, OperationForm, ReaderRole, RowAnswers } from '../parts/operation-form.tsx';

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
        <h1>Needs you</h1>
        <a href={`${root}invoices?state=needs_you`}>All as a list</a>
      </div>
      {groups.length === 0 && <p class="soft">Nothing waits for a person.</p>}
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
        <WideTable label={words} isStacked>
          <ColumnHeads columns={[...numbers('Amount'), 'Customer', 'Failed', 'What helps']} />
          <tbody>
            {invoices.map((failure) => (
              <Row
                failure={failure}
                action={action}
                code={code}
                isOfSeveral={invoices.length > 1}
                {...shown}
              />
            ))}
          </tbody>
        </WideTable>
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
  const fields = { token, back: 'needs', ...own?.fields };
  return (
    <details class="act" name="act" open={isKept}>
      <summary>With the checked rows</summary>
      <form id={`several-${code}`} method="post" action={`${place}/${own?.operation ?? 'stop'}/several`}>
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <label>
          Why
          <input
            name="why"
            value={isKept ? kept.why : undefined}
            maxLength={500}
            placeholder="for the history of each"
            autocomplete="off"
          />
        </label>
        {own && <button type="submit">{own.title}</button>}
        {code !== 'stopped' && (
          <button type="submit" class="danger" formaction={`${place}/stop/several`}>
            {stop?.title}
          </button>
        )}
      </form>
    </details>
  );
}

interface ShownSeveral extends Omit<ShownRow, 'failure' | 'isOfSeveral' | 'stripeUrl'> {
  readonly invoices: readonly Failure[];
}

/** Whether it was checked when the session was over, or the password was asked for again. */
function isChosen({ account, invoiceId }: Failure, { rows = '' }: KeptForm): boolean {
  return rows.split(',').includes(`${account} ${invoiceId}`);
}

interface ShownRow extends Omit<ShownNeeds, 'groups'> {
  readonly failure: Failure;
  readonly action: NeedAction;
  readonly code: NeedCode;
  /** Whether it can be chosen with others. */
  readonly isOfSeveral: boolean;
}

function Row({ failure, action, code, isOfSeveral, reader, token, stripeUrl }: ShownRow) {
  const canChoose = useContext(ReaderRole) !== 'reader' && isOfSeveral;
  const { account, invoiceId, customerId, amount, currency, reason } = failure;
  const page = `invoices/${encodeURIComponent(invoiceId)}`;
  const key = `${account} ${invoiceId}`;
  const answer = useContext(RowAnswers).get(key);
  const kept = useContext(KeptForms);
  const owed = formatMoney(amount, currency, reader.locale);
  return (
    <tr>
      <th scope="row" class="number">
        {canChoose && (
          <input
            type="checkbox"
            name="rows"
            value={key}
            checked={isChosen(failure, kept)}
            form={`several-${code}`}
            aria-label={`Choose ${owed} of ${describePerson([failure.customerName]) || invoiceId}`}
          />
        )}{' '}
        <a href={`${reader.root}${page}`}>{owed}</a>
      </th>
      <td>
        <CustomerLink {...failure} reader={reader} />
      </td>
      <td data-name="Failed">
        <Moment at={failure.failedAt} reader={reader} as="near" />
        {reason !== null && <small>{capitalize(describeCode(reason))}</small>}
      </td>
      <td>
        {answer && (
          <small>
            {answer.title}: <MarkedWords text={beginSentence(answer.lines.join(' '))} reader={reader} />
          </small>
        )}
        {'operation' in action ? (
          <OperationForm
            {...{ token, reader, back: 'needs', title: action.title, button: action.button }}
            name={action.operation}
            fields={{ invoice: invoiceId, account, ...action.fields }}
          />
        ) : (
          <StripeLink
            title={action.title}
            page={`${reader.root}${page}`}
            url={
              action.inStripe === 'invoices'
                ? stripeUrl('invoices', { id: invoiceId, account })
                : customerId === null
                  ? undefined
                  : stripeUrl('customers', { id: customerId, account })
            }
          />
        )}
      </td>
    </tr>
  );
}

/** In another account's Dashboard only its merchant gets on: then its page here says what is known. */
function StripeLink({ title, page, url }: { title: string; page: string; url: string | undefined }) {
  return url === undefined ? (
    <a href={page}>{title}</a>
  ) : (
    <a href={url} rel="noreferrer">
      {title}
    </a>
  );
}

function Refused({
  record: { kind, id, answer },
  action,
  reader,
  token,
}: Omit<ShownRow, 'failure' | 'code' | 'isOfSeveral'> & { record: QuarantinedRecord }) {
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
