/** Who did what, and what was decided, the latest first. */

import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { z } from 'zod';
import { hasRole } from '../../../http/sign-in/sign-in-desk.ts';
import { capitalize } from '../../../kit/sentence-case.ts';
import { reasonSchema } from '../../../store/reasons/reason.ts';
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
import { SavedViews } from '../parts/saved-views.tsx';
import { ListPages } from '../parts/searched-list.tsx';
import { type Column, WideTable } from '../parts/wide-table.tsx';
import type { CsvColumn } from '../send-csv.ts';

const auditAddress = z.object({
  view: z.enum(['people', 'sign-ins']).optional().catch(undefined),
  q: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e\u00a1-\uffff]{1,255}$/)
    .optional()
    .catch(undefined),
  order: z.literal('reversed').optional().catch(undefined),
  before: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional()
    .catch(undefined),
});

export function readAuditQuery(query: unknown): AuditFilter {
  const { view, q: about, before: beforeId, order } = auditAddress.parse(query);
  return { view, about, beforeId, isReversed: order === 'reversed' };
}

export interface ShownAudit {
  readonly query: AuditFilter;
  readonly entries: readonly StoredAuditEntry[];
  /** The next page begins before this one, if there may be more. */
  readonly next: number | undefined;
  /** Those that can still be undone, and the operation whose role that takes. */
  readonly undoable: ReadonlyMap<number, OperationName>;
  readonly token: string;
  readonly reader: Reader;
}

const VIEWS = [
  { view: undefined, text: 'All' },
  { view: 'people', text: 'By people' },
  { view: 'sign-ins', text: 'Sign-ins' },
] as const;

export function AuditView({ query, entries, next, reader, undoable, token }: ShownAudit) {
  const link = (page: string, changes: AuditFilter & { before?: number | undefined } = {}) => {
    const { view, about: q, before, isReversed } = { ...query, ...changes };
    const order = isReversed ? 'reversed' : undefined;
    const parts = Object.entries({ view, q, order, before }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    return `${reader.root}${page}${parts.length === 0 ? '' : `?${new URLSearchParams(parts)}`}`;
  };
  const here = link('audit', { before: query.beforeId }).slice(reader.root.length);
  return (
    <>
      <div class="head">
        <h1>Audit</h1>
        <a href={link('audit.csv')}>Export as CSV</a>
      </div>
      <nav aria-label="Views" class="tabs">
        {VIEWS.map(({ view, text }) => (
          <a href={link('audit', { view })} aria-current={view === query.view ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      <SavedViews root={reader.root} />
      <search>
        <form class="filters" method="get" action={`${reader.root}audit`}>
          {query.view !== undefined && <input type="hidden" name="view" value={query.view} />}
          {query.isReversed && <input type="hidden" name="order" value="reversed" />}
          <label class="grow">
            Search
            <input
              name="q"
              type="search"
              value={query.about}
              maxLength={255}
              placeholder="Invoice, customer or who did it"
            />
          </label>
          <button type="submit">Apply</button>
          <a href={`${reader.root}audit`}>Clear</a>
        </form>
      </search>
      <section class="card flush">
        {entries.length === 0 ? (
          <p class="soft empty">
            {query.view === undefined && query.about === undefined
              ? 'Nothing has happened yet.'
              : 'Nothing matches.'}
          </p>
        ) : (
          <WideTable
            label="Audit"
            isStacked
            hasNames={false}
            rows={entries}
            columns={columnsFor(reader, ({ id }) => (
              <Undo line={id} operation={undoable.get(id)} back={here} {...{ reader, token }} />
            ))}
            sorting={{
              ...{ sort: 'when', isReversed: query.isReversed ?? false },
              link: ({ order }) => link('audit', { isReversed: order !== undefined }),
            }}
          />
        )}
      </section>
      <ListPages
        first={query.beforeId === undefined ? undefined : link('audit')}
        next={next === undefined ? undefined : link('audit', { before: next })}
      />
    </>
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

/** For spreadsheets. */
export const AUDIT_COLUMNS: readonly CsvColumn<StoredAuditEntry>[] = [
  ['at', ({ at }) => at],
  ['what', ({ kind }) => capitalize(describeAuditKind(kind))],
  ['code', ({ kind }) => kind],
  ['by', nameDoer],
  ['why', ({ detail }) => whyOf(detail) ?? null],
  ['account', ({ account }) => account],
  ['invoice', ({ invoiceId }) => invoiceId],
  ['subscription', ({ subscriptionId }) => subscriptionId],
  ['customer', ({ detail }) => (typeof detail.customerId === 'string' ? detail.customerId : null)],
];

const rowCounts = z.record(z.string(), z.int());

/** A person's own words, where a request came from, the reason that was kept, or what the bank said. */
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
  undo: (entry: StoredAuditEntry) => ComponentChildren,
): Column<StoredAuditEntry, 'when'>[] {
  return [
    {
      ...{ name: 'When', sort: 'when', isDescending: true },
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
      ...{ name: 'Why', isNone: ({ detail }) => whyOf(detail) === undefined },
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
      ...{ name: 'About', isNone: (entry) => aboutOf(entry, reader) === undefined },
      cell: (entry) => aboutOf(entry, reader) ?? '–',
    },
  ];
}

/** The invoice, the subscription before its renewal, or the customer who was forgotten: by the id, which is what is left of them. */
function aboutOf({ account, invoiceId, subscriptionId, detail }: StoredAuditEntry, reader: Reader) {
  if (invoiceId !== null)
    return <a href={`${reader.root}invoices/${encodeURIComponent(invoiceId)}`}>{invoiceId}</a>;
  if (subscriptionId !== null) return <code>{subscriptionId}</code>;
  const { customerId } = detail;
  if (typeof customerId !== 'string') return undefined;
  return <CustomerLink {...{ account, customerId, reader }} customerName={null} customerEmail={null} />;
}
