import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import { AUDIT_KINDS, type AuditKind } from '../../actions/audit-kinds.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';

export interface AuditEntry {
  account: string;
  at: DateTime;
  invoiceId: string | null | undefined;
  /** Set before a renewal, when there is no invoice yet. */
  subscriptionId?: string | undefined;
  kind: AuditKind;
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

const INSERT = `insert into payment_retry.audit (account, at, invoice_id, subscription_id, kind, detail)
  values ($1, $2, $3, $4, $5, $6::jsonb) returning id`;

/** Records an entry, with a host event if its kind has one. Returns the entry's id. */
export function recordAudit(db: Queryable, entry: AuditEntry): Promise<number> {
  const { account, at, invoiceId, subscriptionId, kind, detail } = entry;
  const line = [account, at, invoiceId, subscriptionId, kind, JSON.stringify(detail)];
  const { tells } = AUDIT_KINDS[kind];
  const subscription = subscriptionId === undefined ? {} : { subscription: subscriptionId };
  return tells
    ? db.getValue<number>(
        `with line as (${INSERT}), told as (
           insert into payment_retry.host_events (channel, event_id, type, account, invoice_id, at, detail, next_at)
           select channel, md5('audit ' || id)::uuid, $7, $1, $3, $2, $8::jsonb, $2 from line, payment_retry.event_channels)
         select id from line`,
        [...line, tells.type, JSON.stringify({ ...tells.data, ...subscription, ...detail })],
      )
    : db.getValue<number>(INSERT, line);
}

interface KeyChange {
  readonly kind: 'made' | 'rotated' | 'revoked' | 'changed';
  readonly organization: string;
  readonly via: 'console' | 'command';
}

/** Records a change of the embedded service's API key: actor, way, id and name. */
export function recordKeyChange(
  db: Queryable,
  at: DateTime,
  { kind, organization, ...detail }: KeyChange & Readonly<Record<string, unknown>>,
): Promise<number> {
  const account = organization === 'default' ? OWN_ACCOUNT : organization;
  return recordAudit(db, { account, at, invoiceId: undefined, kind: `key.${kind}`, detail: { ...detail } });
}

const COLUMNS = 'id, account, at, invoice_id, subscription_id, kind, detail';

export function findAuditLine(db: Queryable, id: number) {
  return db.find<StoredAuditEntry>(`select ${COLUMNS} from payment_retry.audit where id = $1`, [id]);
}

/** The next entry of the same invoice, or of the account's pauses. Entries by a person come before their consequences. */
export function findNextOf(db: Queryable, { id, account, invoiceId }: StoredAuditEntry) {
  return db.find<StoredAuditEntry>(
    `select ${COLUMNS} from payment_retry.audit where id > $1 and account = $2
       and (invoice_id = $3 or $3::text is null and invoice_id is null and kind in ('effects.paused', 'effects.resumed'))
     order by not detail ? 'by', id limit 1`,
    [id, account, invoiceId],
  );
}

/** Whether a person undid the operation of this entry. */
export function isUndone(db: Queryable, line: number) {
  return db.has(
    `select 1 as one from payment_retry.audit
     where id > $1 and detail ? 'by' and kind = 'operator.undone' and detail->>'line' = $1::text`,
    [line],
  );
}

/** Entries after `afterId`, oldest first, filtered by invoice, subscription before its renewal, or account. */
export function listAudit(db: Queryable, filter: { afterId?: number; about?: string; account?: string }) {
  return db.query<StoredAuditEntry>(
    `select ${COLUMNS} from payment_retry.audit
     where id > $1 and ($2::text is null or $2 in (invoice_id, subscription_id)) and ($3::text is null or account = $3) order by id`,
    [filter.afterId ?? 0, filter.about, filter.account],
  );
}

/** `people`: operations by people; `sign-ins`: sign-ins, sign-outs and failures; otherwise everything except sign-ins. */
export type AuditView = 'people' | 'sign-ins' | undefined;

export interface AuditFilter {
  readonly view?: AuditView;
  /** The whole id of an invoice or a customer, or a person's name. */
  readonly about?: string | undefined;
  readonly beforeId?: number | undefined;
}

const SIGN_INS = `kind in ('operator.signed_in', 'operator.signed_out', 'operator.sign_in_failed')`;
/** Customers deleted at Stripe have no acting person here. */
const ERASURES = `kind in ('customer.forgotten', 'customer.erased')`;
const VIEWS = { people: `detail ? 'by' and not ${SIGN_INS}`, 'sign-ins': SIGN_INS } as const;

/** Latest first. */
export function listLatestAudit(db: Queryable, limit: number, { view, about, beforeId }: AuditFilter = {}) {
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
