/** Who did what, and what was decided, the latest first. */

import { capitalize } from '../../../kit/sentence-case.ts';
import { reasonSchema } from '../../../store/reasons/reason.ts';
import type { StoredAuditEntry } from '../../../store/tables/audit.ts';
import { describeAuditKind } from '../../text/describe-actions.ts';
import { describeCode } from '../../text/describe-code.ts';
import { describeReason } from '../../text/describe-reason.ts';
import { MarkedWords } from '../marked-words.tsx';
import type { Reader } from '../page-reader.ts';
import { CustomerLink } from '../parts/cells.tsx';
import { ColumnHeads } from '../parts/column-heads.tsx';
import { ListPages } from '../parts/list-pages.tsx';
import { Moment } from '../parts/moment.tsx';
import { WideTable } from '../parts/wide-table.tsx';

export interface ShownAudit {
  readonly entries: readonly StoredAuditEntry[];
  /** The next page begins before this one, if there may be more. */
  readonly next: number | undefined;
  readonly reader: Reader;
}

export function AuditView({ entries, next, reader }: ShownAudit) {
  return (
    <>
      <h1>Audit</h1>
      <section class="card flush">
        {entries.length === 0 ? (
          <p class="soft empty">Nothing has happened yet.</p>
        ) : (
          <WideTable label="Audit" isStacked>
            <ColumnHeads columns={['When', 'What', 'By', 'Why', 'About']} />
            <tbody>
              {entries.map((entry) => (
                <Entry entry={entry} reader={reader} />
              ))}
            </tbody>
          </WideTable>
        )}
      </section>
      <ListPages
        first={undefined}
        next={next === undefined ? undefined : `${reader.root}audit?before=${next}`}
      />
    </>
  );
}

/** Where no person wanted it. */
function doerOf(kind: string): string {
  if (kind.startsWith('instruction.')) return 'Retry service';
  if (kind.startsWith('account.')) return 'Stripe';
  return kind.startsWith('operator.') ? '–' : 'The plugin';
}

/** A person's own words, where a request came from, the reason that was kept, or what the bank said. */
function whyOf(detail: StoredAuditEntry['detail']): string | undefined {
  const { note, reason, address, unnoted, declineCode, code } = detail;
  const more = typeof unnoted === 'number' ? `; ${unnoted} more before it` : '';
  if (typeof note === 'string') return note;
  if (typeof address === 'string') return `from ${address}${more}`;
  const known = reasonSchema.safeParse(reason).data;
  if (known) return capitalize(describeReason(known));
  const said = declineCode ?? code;
  return typeof said === 'string' ? capitalize(describeCode(said)) : undefined;
}

function Entry({ entry, reader }: { entry: StoredAuditEntry; reader: Reader }) {
  const { at, kind, detail } = entry;
  const { by, via, note } = detail;
  const why = whyOf(detail);
  const about = aboutOf(entry, reader);
  return (
    <tr>
      <td>
        <Moment at={at} reader={reader} />
      </td>
      <td>{capitalize(describeAuditKind(kind))}</td>
      <td>
        {typeof by === 'string'
          ? `${by}${typeof via === 'string' ? `, ${via.replaceAll('_', ' ')}` : ''}`
          : doerOf(kind)}
      </td>
      <td class={why === undefined ? 'none' : undefined}>
        {why === undefined || why === note ? (why ?? '–') : <MarkedWords text={why} reader={reader} />}
      </td>
      <td class={about === undefined ? 'none' : undefined}>{about ?? '–'}</td>
    </tr>
  );
}

/** The invoice, or the customer who was forgotten: by their id, which is what is left of them. */
function aboutOf({ account, invoiceId, detail }: StoredAuditEntry, reader: Reader) {
  if (invoiceId !== null)
    return <a href={`${reader.root}invoices/${encodeURIComponent(invoiceId)}`}>{invoiceId}</a>;
  const { customerId } = detail;
  if (typeof customerId !== 'string') return undefined;
  return <CustomerLink {...{ account, customerId, reader }} customerName={null} customerEmail={null} />;
}
