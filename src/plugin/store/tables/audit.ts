import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';

export interface AuditEntry {
  account: string;
  at: DateTime;
  invoiceId: string | null | undefined;
  /** Before a renewal, when there is no invoice yet. */
  subscriptionId?: string | undefined;
  /** What happened, as a dotted name: `instruction.scheduled`, `guard.stopped`, `attempt.declined` … */
  kind: string;
  detail: Record<string, unknown>;
}

export interface StoredAuditEntry {
  id: number;
  account: string;
  at: DateTime<true>;
  invoiceId: string | null;
  subscriptionId: string | null;
  kind: string;
  detail: Record<string, unknown>;
}

/** Returns the number of its line. */
export async function recordAudit(db: Queryable, entry: AuditEntry): Promise<number> {
  const [row] = await db.query<{ id: number }>(
    `insert into payment_retry.audit (account, at, invoice_id, subscription_id, kind, detail)
     values ($1, $2, $3, $4, $5, $6::jsonb) returning id`,
    [
      ...[entry.account, entry.at, entry.invoiceId, entry.subscriptionId, entry.kind],
      JSON.stringify(entry.detail),
    ],
  );
  return row?.id ?? 0;
}

interface KeyChange {
  readonly kind: string;
  readonly organization: string;
  readonly via: 'console' | 'command';
}

/** Of an API key of the embedded service: by whom, which way, its id and its name. */
export function recordKeyChange(
  db: Queryable,
  at: DateTime,
  { kind, organization, ...detail }: KeyChange & Readonly<Record<string, unknown>>,
): Promise<number> {
  const account = organization === 'default' ? OWN_ACCOUNT : organization;
  return recordAudit(db, { account, at, invoiceId: undefined, kind: `key.${kind}`, detail: { ...detail } });
}

const COLUMNS = 'id, account, at, invoice_id, subscription_id, kind, detail';

export async function findAuditLine(db: Queryable, id: number): Promise<StoredAuditEntry | undefined> {
  const [row] = await db.query<StoredAuditEntry>(`select ${COLUMNS} from payment_retry.audit where id = $1`, [
    id,
  ]);
  return row;
}

/** What came after a line: of its invoice, or of the pauses of its account. A person's word counts before what followed from it. */
export async function findNextOf(
  db: Queryable,
  { id, account, invoiceId }: StoredAuditEntry,
): Promise<StoredAuditEntry | undefined> {
  const [row] = await db.query<StoredAuditEntry>(
    `select ${COLUMNS} from payment_retry.audit where id > $1 and account = $2
       and (invoice_id = $3 or $3::text is null and invoice_id is null and kind in ('effects.paused', 'effects.resumed'))
     order by not detail ? 'by', id limit 1`,
    [id, account, invoiceId],
  );
  return row;
}

/** Whether a person undid what a line is of. */
export async function isUndone(db: Queryable, line: number): Promise<boolean> {
  const rows = await db.query(
    `select 1 as one from payment_retry.audit
     where id > $1 and detail ? 'by' and kind = 'operator.undone' and detail->>'line' = $1::text`,
    [line],
  );
  return rows.length > 0;
}

/** Entries after `afterId`, oldest first; of one invoice, subscription before its renewal, or account if given. */
export async function listAudit(
  db: Queryable,
  filter: { afterId?: number; about?: string; account?: string },
): Promise<StoredAuditEntry[]> {
  return db.query<StoredAuditEntry>(
    `select ${COLUMNS} from payment_retry.audit
     where id > $1 and ($2::text is null or $2 in (invoice_id, subscription_id)) and ($3::text is null or account = $3) order by id`,
    [filter.afterId ?? 0, filter.about, filter.account],
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
/** Those of customers who were deleted at Stripe are nobody's doing here. */
const ERASURES = `kind in ('customer.forgotten', 'customer.erased')`;
const VIEWS = { people: `detail ? 'by' and not ${SIGN_INS}`, 'sign-ins': SIGN_INS } as const;

/** The latest first. */
export function listLatestAudit(
  db: Queryable,
  limit: number,
  { view, about, beforeId }: AuditFilter = {},
): Promise<StoredAuditEntry[]> {
  const isOf = about?.startsWith('in_')
    ? 'invoice_id = $3'
    : `(detail ? 'by' or ${ERASURES}) and ($3 in (detail->>'customerId', detail->>'by'))`;
  return db.query<StoredAuditEntry>(
    `select ${COLUMNS} from payment_retry.audit
     where ${view === undefined ? `not ${SIGN_INS}` : VIEWS[view]} and ($2::bigint is null or id < $2)
       and ($3::text is null or ${about === undefined ? 'true' : isOf}) order by id desc limit $1`,
    [limit, beforeId, about],
  );
}
