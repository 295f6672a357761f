import type { Queryable } from '../engine/database.ts';

export interface WorkCount {
  table: string;
  /** A code. */
  state: string;
  count: number;
}

/** The database's own counts, and what has changed since they were brought up to date. */
const KEPT = `(
  select account, counted, state, rows from payment_retry.row_counts
  union all
  select account, counted, state, rows from payment_retry.row_count_changes) as kept`;

/** What waits, what is done and what needs a person, by table. */
export async function countWork(db: Queryable): Promise<WorkCount[]> {
  return db.query<WorkCount>(
    `select counted as table, state, sum(rows)::bigint as count from ${KEPT}
     where counted <> 'known_subscriptions' group by counted, state having sum(rows) > 0 order by "table", state`,
  );
}

/** Subscriptions that the service has received; beside the number that Stripe lists, the measure of completeness. */
export async function countKnownSubscriptions(db: Queryable, account: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select coalesce(sum(rows), 0)::bigint as count from ${KEPT} where account = $1 and counted = 'known_subscriptions'`,
    [account],
  );
  return row?.count ?? 0;
}

/** Changes that are added up at once. */
const AT_ONCE = 50_000;

/** Brings the counts up to date, so that what has changed since stays short. One that another process adds up is passed over. */
export async function addUpCounts(db: Queryable): Promise<void> {
  await db.query(
    `with changes as (
       delete from payment_retry.row_count_changes where ctid = any(array(
         select ctid from payment_retry.row_count_changes limit $1 for update skip locked))
       returning account, counted, state, rows)
     insert into payment_retry.row_counts
     select account, counted, state, sum(rows) from changes group by account, counted, state order by account, counted, state
     on conflict (account, counted, state) do update set rows = row_counts.rows + excluded.rows`,
    [AT_ONCE],
  );
}
