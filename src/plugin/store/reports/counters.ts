/** What the database counts itself: what has happened since the installation, and how many rows are in which state. */
import type { Queryable } from '../../../core/database/database.ts';

export interface Counted {
  readonly name:
    | 'events_received'
    | 'events_processed'
    | 'instructions'
    | 'attempts'
    | 'recovered'
    | 'returned'
    | 'mails'
    | 'deliveries';
  readonly labels: Readonly<Record<string, string>>;
  readonly total: number;
  /** In minor units, where it is about money. */
  readonly amount: number;
}

/** What is added up, and what has changed since. */
const KEPT =
  '(select * from payment_retry.counters union all select * from payment_retry.counter_changes) as kept';

/** The same whoever asks. Costs what the different labels cost, however much has happened. */
export async function readCounters(db: Queryable): Promise<Counted[]> {
  return db.query<Counted>(
    `select name, labels, sum(total)::bigint as total, sum(amount)::bigint as amount
     from ${KEPT} where name not in ('rows', 'renewals') group by name, labels order by name, labels`,
  );
}

export interface RenewalSum {
  readonly currency: string;
  readonly invoices: number;
  readonly amount: number;
}

/** Renewals that were paid, of invoices made on these days: from the first, before the second, as `2026-03-01`. */
export async function sumRenewals(db: Queryable, from: string, to: string): Promise<RenewalSum[]> {
  return db.query<RenewalSum>(
    `select labels->>'currency' as currency, sum(total)::bigint as invoices, sum(amount)::bigint as amount
     from ${KEPT} where account = '' and name = 'renewals' and labels->>'day' >= $1 and labels->>'day' < $2
     group by 1 order by 1`,
    [from, to],
  );
}

export interface WorkCount {
  table: string;
  /** A code. */
  state: string;
  count: number;
}

/** What waits, what is done and what needs a person, by table. */
export async function countWork(db: Queryable): Promise<WorkCount[]> {
  return db.query<WorkCount>(
    `select labels->>'table' as table, labels->>'state' as state, sum(total)::bigint as count
     from ${KEPT} where name = 'rows' and labels->>'table' <> 'known_subscriptions'
     group by 1, 2 having sum(total) > 0 order by 1, 2`,
  );
}

/** Subscriptions that the service has received; beside the number that Stripe lists, the measure of completeness. */
export async function countKnownSubscriptions(db: Queryable, account: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select coalesce(sum(total), 0)::bigint as count
     from ${KEPT} where account = $1 and name = 'rows' and labels->>'table' = 'known_subscriptions'`,
    [account],
  );
  return row?.count ?? 0;
}

/** Changes that are added up at once. */
const AT_ONCE = 50_000;

/** Keeps what is not added up short. A change that another process adds up is passed over. */
export async function addUpCounters(db: Queryable): Promise<void> {
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
