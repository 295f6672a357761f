/** What has happened since the installation: counted by the database, in the transaction of what happened. */
import type { Queryable } from '../engine/database.ts';

export interface Counted {
  readonly name:
    | 'events_received'
    | 'events_processed'
    | 'instructions'
    | 'attempts'
    | 'recovered'
    | 'mails'
    | 'deliveries';
  readonly labels: Readonly<Record<string, string>>;
  readonly total: number;
  /** In minor units, where it is about money. */
  readonly amount: number;
}

/** The same whoever asks. Costs what the different labels cost, however much has happened. */
export async function readCounters(db: Queryable): Promise<Counted[]> {
  return db.query<Counted>(
    `select name, labels, sum(total)::bigint as total, sum(amount)::bigint as amount
     from (select * from payment_retry.counters union all select * from payment_retry.counter_changes) as kept
     group by name, labels order by name, labels`,
  );
}

/** Changes that are added up at once. */
const AT_ONCE = 50_000;

/** Keeps what is not added up short. A change that another process adds up is passed over. */
export async function addUpCounters(db: Queryable): Promise<void> {
  await db.query(
    `with changes as (
       delete from payment_retry.counter_changes where ctid = any(array(
         select ctid from payment_retry.counter_changes limit $1 for update skip locked))
       returning name, labels, total, amount)
     insert into payment_retry.counters
     select name, labels, sum(total), sum(amount) from changes group by name, labels order by name, labels
     on conflict (name, labels) do update
     set total = counters.total + excluded.total, amount = counters.amount + excluded.amount`,
    [AT_ONCE],
  );
}
