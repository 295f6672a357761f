import type { DateTime } from 'luxon';
import type { Queryable } from '../engine/database.ts';

export interface AuditEntry {
  account: string;
  at: DateTime;
  invoiceId: string | undefined;
  /** What happened, as a dotted name: `instruction.scheduled`, `guard.stopped`, `attempt.declined` … */
  kind: string;
  detail: Record<string, unknown>;
}

export interface StoredAuditEntry {
  id: number;
  account: string;
  at: Date;
  invoiceId: string | null;
  kind: string;
  detail: Record<string, unknown>;
}

export async function recordAudit(db: Queryable, entry: AuditEntry): Promise<void> {
  await db.query(
    `insert into payment_retry.audit (account, at, invoice_id, kind, detail) values ($1, $2, $3, $4, $5::jsonb)`,
    [entry.account, entry.at, entry.invoiceId, entry.kind, JSON.stringify(entry.detail)],
  );
}

/** Entries after `afterId`, oldest first; of one invoice or account if given. */
export async function listAudit(
  db: Queryable,
  filter: { afterId?: number; invoiceId?: string; account?: string },
): Promise<StoredAuditEntry[]> {
  return db.query<StoredAuditEntry>(
    `select id, account, at, invoice_id, kind, detail from payment_retry.audit
     where id > $1 and ($2::text is null or invoice_id = $2) and ($3::text is null or account = $3) order by id`,
    [filter.afterId ?? 0, filter.invoiceId, filter.account],
  );
}

/** `people`: what somebody did; `sign-ins`: who came, went or was turned away; else all but those. */
export type AuditView = 'people' | 'sign-ins' | undefined;

export interface AuditFilter {
  readonly view?: AuditView;
  /** The id of an invoice or a customer, or the name of a person, as a whole. */
  readonly about?: string | undefined;
  readonly beforeId?: number | undefined;
}

const SIGN_INS = `kind in ('operator.signed_in', 'operator.signed_out', 'operator.sign_in_failed')`;
const VIEWS = { people: `detail ? 'by' and not ${SIGN_INS}`, 'sign-ins': SIGN_INS } as const;

/** The latest first. */
export function listLatestAudit(
  db: Queryable,
  limit: number,
  { view, about, beforeId }: AuditFilter = {},
): Promise<StoredAuditEntry[]> {
  const isOf = about?.startsWith('in_')
    ? 'invoice_id = $3'
    : `detail ? 'by' and ($3 in (detail->>'customerId', detail->>'by'))`;
  return db.query<StoredAuditEntry>(
    `select id, account, at, invoice_id, kind, detail from payment_retry.audit
     where ${view === undefined ? `not ${SIGN_INS}` : VIEWS[view]} and ($2::bigint is null or id < $2)
       and ($3::text is null or ${about === undefined ? 'true' : isOf}) order by id desc limit $1`,
    [limit, beforeId, about],
  );
}
