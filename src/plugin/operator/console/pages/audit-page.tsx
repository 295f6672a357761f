/** Actions and decisions of people and the plugin, the latest first. */

import { z } from 'zod';
import { capitalize } from '../../../../core/base/sentence-case.ts';
import { hasRole } from '../../../../core/web/sign-in/sign-in-desk.ts';
import { reasonSchema } from '../../../reasons/reason.ts';
import { type Failure, listFailures } from '../../../store/reports/money/list-failures.ts';
import { listLatestAudit, type StoredAuditEntry } from '../../../store/tables/audit.ts';
import { describeRemoved } from '../../operations/forget.ts';
import { roleFor } from '../../operations/operation.ts';
import { type OperationName, operationOf } from '../../operations/operations.ts';
import { listUndoable } from '../../operations/undo.ts';
import { describeAuditKind } from '../../text/describe-actions.ts';
import { describeCode } from '../../text/describe-code.ts';
import { describeReason } from '../../text/describe-reason.ts';
import { addressOf, lenient, listPage, oneWord } from '../list-page.tsx';
import { useReader } from '../page-reader.ts';
import { CustomerLink, InvoiceLink, Moment, Money } from '../parts/cells.tsx';
import { MarkedWords } from '../parts/marked-words.tsx';
import { OperationForm } from '../parts/operation-form.tsx';

interface ShownEntry extends StoredAuditEntry {
  /** The failed invoice that it is about. */
  readonly failure: Failure | undefined;
  /** Where it can still be undone, the operation whose role that takes. */
  readonly undone: OperationName | undefined;
  /** Where the answer is shown. */
  readonly back: string;
}

export const auditPage = listPage({
  title: 'Audit',
  here: 'audit',
  address: z.object({
    view: lenient(z.enum(['people', 'sign-ins'])),
    q: oneWord,
    before: lenient(z.string().regex(/^\d{1,15}$/)),
  }),
  views: ['view', { people: 'By people', 'sign-ins': 'Sign-ins' }],
  search: { placeholder: 'Invoice, customer or who did it', maxLength: 255 },
  hasNames: false,
  empty: ['Nothing has happened yet.', 'Nothing matches.'],
  read: async ({ database }, { query, limit }) => {
    const { view, q: about, before } = query;
    const beforeId = before === undefined ? undefined : Number(before);
    const entries = await listLatestAudit(database, limit, { view, about, beforeId });
    const undoable = await listUndoable(database, entries);
    const invoices = entries.flatMap(({ invoiceId }) => invoiceId ?? []);
    const failures = await listFailures(database, { invoices }, { sort: 'failed', limit });
    const known = new Map(failures.map((failure) => [failure.invoiceId, failure]));
    const back = `audit${addressOf(query, { before })}`;
    const rows = entries.map((entry): ShownEntry => {
      const failure = known.get(entry.invoiceId ?? '');
      return { ...entry, failure, undone: undoable.get(entry.id), back };
    });
    return { rows };
  },
  next: ({ id }) => ({ before: String(id) }),
  columns: [
    { name: 'When', cell: ({ at }) => <Moment at={at} /> },
    {
      name: 'What',
      cell: (entry) => (
        <>
          {capitalize(describeAuditKind(entry.kind))}
          <Undo {...entry} />
        </>
      ),
    },
    { name: 'By', cell: nameDoer },
    {
      name: 'Reason',
      isNone: ({ detail }) => whyOf(detail) === undefined,
      cell: ({ detail }) => {
        const why = whyOf(detail);
        return why === undefined || why === detail.note ? (why ?? '–') : <MarkedWords text={why} />;
      },
    },
    {
      name: 'About',
      isNone: (entry) => aboutOf(entry) === undefined,
      cell: (entry) => aboutOf(entry) ?? '–',
    },
  ],
});

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

function Undo({ id, undone, back }: ShownEntry) {
  const reader = useReader();
  if (undone === undefined || !hasRole(reader, roleFor(operationOf(undone)))) return null;
  return <OperationForm name="undo" back={back} fields={{ line: String(id) }} />;
}

/** The invoice, the subscription before its renewal, or the forgotten customer: by the id, the only thing left of them. */
function aboutOf({ account, invoiceId, subscriptionId, detail, failure }: ShownEntry) {
  if (invoiceId !== null) {
    const name = failure?.customerName ?? failure?.customerEmail;
    return (
      <>
        <InvoiceLink id={invoiceId}>{failure?.number ?? undefined}</InvoiceLink>
        {failure && (
          <small>
            <Money {...failure} />
            {name && `, ${name}`}
          </small>
        )}
      </>
    );
  }
  if (subscriptionId !== null) return <code>{subscriptionId}</code>;
  const { customerId } = detail;
  if (typeof customerId !== 'string') return undefined;
  return <CustomerLink {...{ account, customerId }} customerName={null} customerEmail={null} />;
}
