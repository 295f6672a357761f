/** Actions and decisions of people and the plugin, the latest first. */

import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { z } from 'zod';
import { capitalize } from '../../../../core/base/sentence-case.ts';
import { hasRole } from '../../../../core/web/sign-in/sign-in-desk.ts';
import { formatMoney } from '../../../mails/format-money.ts';
import { reasonSchema } from '../../../reasons/reason.ts';
import type { Failure } from '../../../store/reports/money/list-failures.ts';
import type { AuditFilter, StoredAuditEntry } from '../../../store/tables/audit.ts';
import { describeRemoved } from '../../operations/forget.ts';
import { roleFor } from '../../operations/operation.ts';
import { type OperationName, operationOf } from '../../operations/operations.ts';
import { describeAuditKind } from '../../text/describe-actions.ts';
import { describeCode } from '../../text/describe-code.ts';
import { describeReason } from '../../text/describe-reason.ts';
import type { Reader } from '../page-reader.ts';
import { CustomerLink } from '../parts/cells.tsx';
import { MarkedWords } from '../parts/marked-words.tsx';
import { Moment } from '../parts/moment.tsx';
import { OperationForm, ReaderRole } from '../parts/operation-form.tsx';
import { addressOf, SearchedList } from '../parts/searched-list.tsx';
import type { Column } from '../parts/wide-table.tsx';

export const auditAddress = z.object({
  view: z.enum(['people', 'sign-ins']).optional().catch(undefined),
  q: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e\u00a1-\uffff]{1,255}$/)
    .optional()
    .catch(undefined),
  before: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional()
    .catch(undefined),
});
type AuditQuery = z.output<typeof auditAddress>;

export function toFilter({ view, q: about, before }: AuditQuery): AuditFilter {
  const beforeId = before === undefined ? undefined : Number(before);
  return { view, about, beforeId };
}

export interface ShownAudit {
  readonly query: AuditQuery;
  readonly entries: readonly StoredAuditEntry[];
  /** Failed invoices that they are about. */
  readonly failures: ReadonlyMap<string, Failure>;
  /** The next page begins before this one, if there may be more. */
  readonly next: number | undefined;
  /** Those that can still be undone, and the operation whose role that takes. */
  readonly undoable: ReadonlyMap<number, OperationName>;
  readonly token: string;
  readonly reader: Reader;
}

export function AuditView({ query, entries, failures, next, reader, undoable, token }: ShownAudit) {
  const back = `audit${addressOf(query, { before: query.before })}`;
  return (
    <SearchedList
      title="Audit"
      path="audit"
      views={['view', { people: 'By people', 'sign-ins': 'Sign-ins' }]}
      search={{ placeholder: 'Invoice, customer or who did it', maxLength: 255 }}
      columns={columnsFor(reader, failures, ({ id }) => (
        <Undo line={id} operation={undoable.get(id)} {...{ back, reader, token }} />
      ))}
      rows={entries}
      hasNames={false}
      empty={['Nothing has happened yet.', 'Nothing matches.']}
      next={next === undefined ? undefined : { before: String(next) }}
      {...{ query, reader }}
    />
  );
}

/** Where no person wanted it. */
function doerOf(kind: string, source: unknown): string {
  if (kind === 'signal.received' || source === 'signal') return 'Stripe’s signal';
  if (kind.startsWith('instruction.')) return 'Retry service';
  if (kind.startsWith('account.')) return 'Stripe';
  return kind.startsWith('operator.') ? '–' : 'The plugin';
}

function nameDoer({ kind, detail: { by, via, source } }: StoredAuditEntry): string {
  if (typeof by !== 'string') return doerOf(kind, source);
  return typeof via === 'string' ? `${by}, ${via.replaceAll('_', ' ')}` : by;
}

const rowCounts = z.record(z.string(), z.int());

/** A person's own words, the origin of a request, the stored reason, or the bank's answer. */
function whyOf(detail: StoredAuditEntry['detail']): string | undefined {
  const { note, reason, address, unnoted, declineCode, code, keyId, name, removed } = detail;
  const more = typeof unnoted === 'number' ? `; ${unnoted} more before it` : '';
  if (typeof note === 'string') return note;
  if (typeof address === 'string') return `from ${address}${more}`;
  if (typeof keyId === 'string') return `${keyId}${name ? ` “${name}”` : ''}`;
  const rows = rowCounts.safeParse(removed).data;
  if (rows) return describeRemoved(rows).join(', ');
  const known = reasonSchema.safeParse(reason).data;
  if (known) return capitalize(describeReason(known));
  const said = declineCode ?? code;
  return typeof said === 'string' ? capitalize(describeCode(said)) : undefined;
}

interface UndoProps extends Pick<ShownAudit, 'token' | 'reader'> {
  readonly line: number;
  readonly operation: OperationName | undefined;
  readonly back: string;
}

function Undo({ line, operation, ...place }: UndoProps) {
  const role = useContext(ReaderRole);
  if (operation === undefined || !hasRole({ role }, roleFor(operationOf(operation)))) return null;
  return <OperationForm {...place} name="undo" fields={{ line: String(line) }} />;
}

function columnsFor(
  reader: Reader,
  failures: ShownAudit['failures'],
  undo: (entry: StoredAuditEntry) => ComponentChildren,
): Column<StoredAuditEntry>[] {
  return [
    {
      name: 'When',
      cell: ({ at }) => <Moment at={at} reader={reader} />,
    },
    {
      name: 'What',
      cell: (entry) => (
        <>
          {capitalize(describeAuditKind(entry.kind))}
          {undo(entry)}
        </>
      ),
    },
    { name: 'By', cell: nameDoer },
    {
      name: 'Reason',
      isNone: ({ detail }) => whyOf(detail) === undefined,
      cell: ({ detail }) => {
        const why = whyOf(detail);
        return why === undefined || why === detail.note ? (
          (why ?? '–')
        ) : (
          <MarkedWords text={why} reader={reader} />
        );
      },
    },
    {
      name: 'About',
      isNone: (entry) => aboutOf(entry, failures, reader) === undefined,
      cell: (entry) => aboutOf(entry, failures, reader) ?? '–',
    },
  ];
}

/** The invoice, the subscription before its renewal, or the forgotten customer: by the id, the only thing left of them. */
function aboutOf(
  { account, invoiceId, subscriptionId, detail }: StoredAuditEntry,
  failures: ShownAudit['failures'],
  reader: Reader,
) {
  if (invoiceId !== null) {
    const failure = failures.get(invoiceId);
    const { amount = 0, currency = '', customerName, customerEmail, number } = failure ?? {};
    return (
      <>
        <a href={`${reader.root}invoices/${encodeURIComponent(invoiceId)}`}>{number ?? invoiceId}</a>
        {failure && (
          <small>
            {[formatMoney(amount, currency, reader.locale), customerName ?? customerEmail]
              .filter(Boolean)
              .join(', ')}
          </small>
        )}
      </>
    );
  }
  if (subscriptionId !== null) return <code>{subscriptionId}</code>;
  const { customerId } = detail;
  if (typeof customerId !== 'string') return undefined;
  return <CustomerLink {...{ account, customerId, reader }} customerName={null} customerEmail={null} />;
}
