/** What waits in the queues of one schema. pg-boss tells it of one queue at a time; these ask once for all of them. */
import type { Queryable } from './database.ts';

/** Those of the named queues that have a job which is due now, by the queue's own clock. */
export async function listDueQueues(
  db: Queryable,
  schema: string,
  queues: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ name: string }>(
    `select distinct name from ${schema}.job
     where name = any($1) and state < 'active' and not blocked and start_after <= ${schema}.job_now()`,
    [queues],
  );
  return new Set(rows.map(({ name }) => name));
}

/** Whether a process took a job of the named queues and has not ended it, dead or alive. */
export async function hasRunningJobs(
  db: Queryable,
  schema: string,
  queues: readonly string[],
): Promise<boolean> {
  const running = await db.query(
    `select 1 from ${schema}.job where name = any($1) and state = 'active' limit 1`,
    [queues],
  );
  return running.length > 0;
}

/** When the earliest job that waits in the named queues falls due; it may have done so already. */
export async function findNextDueAt(
  db: Queryable,
  schema: string,
  queues: readonly string[],
): Promise<Date | undefined> {
  // Back-off has microseconds, which a Date cuts off: a millisecond later it is surely due.
  const [row] = await db.query<{ at: Date | null }>(
    `select min(start_after + case state when 'retry' then interval '1 millisecond' else interval '0' end) as at
     from ${schema}.job where name = any($1) and state < 'active'`,
    [queues],
  );
  return row?.at ?? undefined;
}
