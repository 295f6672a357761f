/** Counters kept by the database: events since installation, and rows by state. */
import type { Queryable } from '../../../core/database/database.ts';

export interface Counted {
  readonly name:
    | 'events_received'
    | 'events_processed'
    | 'instructions'
    | 'attempts'
    | 'recovered'
    | 'returned'
    | 'emails'
    | 'deliveries';
  readonly labels: Readonly<Record<string, string>>;
  readonly total: number;
  /** Minor units of money; 0 for other counters. */
  readonly amount: number;
}

const KEPT =
  '(select * from payment_retry.counters union all select * from payment_retry.counter_changes) as kept';

/** Reads every counter. The cost depends on the number of labels, not of events. */
export function readCounters(db: Queryable) {
  return db.query<Counted>(
    `select name, labels, sum(total)::bigint as total, sum(amount)::bigint as amount
     from ${KEPT} where name <> 'rows' group by name, labels order by name, labels`,
  );
}

export interface WorkCount {
  table: string;
  state: string;
  count: number;
}

/** Rows by table and state: waiting, done and in need of a person. */
export function countWork(db: Queryable) {
  return db.query<WorkCount>(
    `select labels->>'table' as table, labels->>'state' as state, sum(total)::bigint as count
     from ${KEPT} where name = 'rows' and labels->>'table' <> 'known_subscriptions'
     group by 1, 2 having sum(total) > 0 order by 1, 2`,
  );
}

/** Counts the subscriptions that the service has received. */
export function countKnownSubscriptions(db: Queryable, account: string) {
  return db.getValue<number>(
    `select coalesce(sum(total), 0)::bigint as count
     from ${KEPT} where account = $1 and name = 'rows' and labels->>'table' = 'known_subscriptions'`,
    [account],
  );
}

const AT_ONCE = 50_000;

/** Folds pending changes into `counters`. Skips changes that another process is folding. */
export async function addUpCounters(db: Queryable) {
  await db.query(
    `with changes as (
       delete from payment_retry.counter_changes where ctid = any(array(
         select ctid from payment_retry.counter_changes limit $1 for update skip locked))
       returning account, name, labels, total, amount)
     insert into payment_retry.counters
     select account, name, labels, sum(total), sum(amount) from changes
     group by account, name, labels order by account, name, labels
     on conflict (account, name, labels) do update
     set total = counters.total + excluded.total, amount = counters.amount + excluded.amount`,
    [AT_ONCE],
  );
}
