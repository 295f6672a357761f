/** Instructions from the service's listing, and their state here. */
import type { DateTime } from 'luxon';
import type { ListedRecord } from '../../../../core/contract/listed-record.ts';
import type { Queryable } from '../../../../core/database/database.ts';
import { setTo, toColumn } from '../../../../core/database/rows.ts';

/** `waiting`: to be applied. `history`: nothing to do. `unreadable`: has a `problem`. */
export type ListedFate = 'waiting' | 'history' | 'unreadable';

export interface JudgedRecord extends ListedRecord {
  readonly fate: ListedFate;
}

export interface WrittenRecord {
  id: string;
  isNew: boolean;
}

/** `fate` is last: a known one stays. */
const LISTED = {
  id: 'text',
  requestId: 'text',
  invoiceId: 'text',
  subscriptionId: 'text',
  type: 'text',
  status: 'text',
  suggestion: 'text',
  idealRetryAt: 'timestamptz',
  createdAt: 'timestamptz',
  executedAt: 'timestamptz',
  recordUpdatedAt: 'timestamptz',
  body: 'text',
  problem: 'text',
  fate: 'text',
};
const COLUMNS = Object.keys(LISTED).map(toColumn);
const GIVEN = Object.values(LISTED).map((type, index) => `$${index + 3}::${type}[]`);

/**
 * Adds or updates listed records; an older version never replaces a newer one. Applied instructions and those that came by
 * callback keep their fate. Returns written records. No id may occur twice.
 */
export function recordListed(
  db: Queryable,
  account: string,
  records: readonly JudgedRecord[],
  now: DateTime,
) {
  const rows = records.map(({ idealRetryTime: idealRetryAt, updatedAt: recordUpdatedAt, ...record }) => {
    return { ...record, idealRetryAt, recordUpdatedAt };
  });
  // Sorted, so that two processes that read the same page lock its rows in one order.
  return db.query<WrittenRecord>(
    `insert into payment_retry.recovery_actions as t (account, ${COLUMNS.join(', ')}, first_seen_at, updated_at)
     select $1, r.*, $2::timestamptz, $2::timestamptz from unnest(${GIVEN.join(', ')}) as r (${COLUMNS.join(', ')}) order by id
     on conflict (account, id) do update set ${setTo(COLUMNS.slice(0, -1))}, updated_at = excluded.updated_at,
       fate = case when t.fate in ('applied', 'known') then t.fate else excluded.fate end
     where t.body <> excluded.body
       and (t.record_updated_at <= excluded.record_updated_at) is not false
     returning t.id, t.xmax = 0 as is_new`,
    [account, now, ...Object.keys(LISTED).map((field) => rows.map((row) => Reflect.get(row, field)))],
  );
}

export interface WaitingRecord {
  id: string;
  requestId: string | null;
  invoiceId: string;
  subscriptionId: string | null;
  suggestion: string;
  idealRetryAt: DateTime<true>;
  createdAt: DateTime<true> | null;
  body: string;
}

/** Instructions to be applied, oldest first. */
export function listWaiting(db: Queryable, account: string, limit: number) {
  return db.query<WaitingRecord>(
    `select id, request_id, invoice_id, subscription_id,
            suggestion, ideal_retry_at, created_at, body
     from payment_retry.recovery_actions where account = $1 and fate = 'waiting'
     order by created_at, position limit $2`,
    [account, limit],
  );
}

/** False if another process settled it first. */
export function settleWaiting(
  db: Queryable,
  key: { account: string; id: string },
  fate: 'applied' | 'known',
) {
  return db.has(
    `update payment_retry.recovery_actions set fate = $3
     where account = $1 and id = $2 and fate = 'waiting' returning id`,
    [key.account, key.id, fate],
  );
}

export interface Neighbours {
  /** Issue time of the invoice's last stored instruction created before this one. */
  after: DateTime | null;
  /** Issue time of the first one created after it. */
  before: DateTime | null;
}

/** Places a listed instruction among the invoice's stored ones, by the service's own times. */
export function findNeighbours(
  db: Queryable,
  account: string,
  record: { invoiceId: string; createdAt: DateTime },
) {
  return db.get<Neighbours>(
    `select max(i.issued_at) filter (where r.created_at <= $3) as after,
            min(i.issued_at) filter (where r.created_at > $3) as before
     from payment_retry.instructions i
     join payment_retry.recovery_actions r on r.account = i.account and r.invoice_id = i.invoice_id
       and i.request_id in (r.request_id, r.id)
     where i.account = $1 and i.invoice_id = $2`,
    [account, record.invoiceId, record.createdAt],
  );
}
