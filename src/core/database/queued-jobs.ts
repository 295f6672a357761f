/** What waits in the queues of one schema. pg-boss counts one queue at a time; these ask once for all of them. */
import type { DateTime } from 'luxon';
import type { Measures } from '../telemetry/measures.ts';
import type { Queryable } from './database.ts';

/**
 * pg-boss orders waiting jobs by their age, so that looking for a due one reads every job that waits for a later day:
 * 220 ms with 300,000 of them. By due time it takes none. It finds running ones, and counts all, by reading the table: nobody reads
 * its counts.
 */
export async function tuneQueues(db: Queryable, schema: string): Promise<void> {
  await db.query(
    `create index if not exists job_due on ${schema}.job (name, start_after) where state < 'active' and not blocked`,
  );
  await db.query(`create index if not exists job_running on ${schema}.job (name) where state = 'active'`);
  await db.query(`create index if not exists job_failing on ${schema}.job (name) where state = 'retry'`);
  await db.query(
    `update ${schema}.version set monitor_backoff_on = 'infinity' where monitor_backoff_on is distinct from 'infinity'`,
  );
}

/** pg-boss gives a queue its policy once. Waiting jobs carry it, too. */
export async function changePolicy(
  db: Queryable,
  schema: string,
  { name, policy }: { name: string; policy: string },
): Promise<void> {
  await db.query(`update ${schema}.queue set policy = $2 where name = $1`, [name, policy]);
  await db.query(`update ${schema}.job set policy = $2 where name = $1 and state <= 'active'`, [
    name,
    policy,
  ]);
}

/** Nobody takes the jobs of a short queue that wait with these keys before the transaction ends. Returns the keys of those. */
export async function holdWaiting(
  tx: Queryable,
  schema: string,
  { name, keys }: { name: string; keys: readonly string[] },
): Promise<ReadonlySet<string>> {
  const waiting = await tx.listValues<string>(
    `select coalesce(singleton_key, '') from ${schema}.job
     where name = $1 and state = 'created' and policy = 'short' and coalesce(singleton_key, '') = any($2::text[]) for share`,
    [name, keys],
  );
  return new Set(waiting);
}

/** Milliseconds until the first job of each named queue with waiting jobs is due, by the queue's own clock; negative when it is late. */
export async function listWaits(
  db: Queryable,
  schema: string,
  queues: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db.query<{ name: string; waitMs: number }>(
    `select name, ceil(1000 * extract(epoch from start_after - ${schema}.job_now()))::float8 as wait_ms
     from unnest($1::text[]) as queue(name), lateral (
       select start_after from ${schema}.job where job.name = queue.name and state < 'active' and not blocked
       order by start_after limit 1) as first`,
    [queues],
  );
  return new Map(rows.map(({ name, waitMs }) => [name, waitMs]));
}

/** Those of the named queues that have a job which is due now. */
export async function listDueQueues(
  db: Queryable,
  schema: string,
  queues: readonly string[],
): Promise<Set<string>> {
  const waits = await listWaits(db, schema, queues);
  return new Set([...waits].filter(([, waitMs]) => waitMs <= 0).map(([name]) => name));
}

/** When the earliest job that waits in the named queues falls due; it may have done so already. */
export async function findNextDueAt(
  db: Queryable,
  schema: string,
  queues: readonly string[],
): Promise<DateTime<true> | undefined> {
  // Back-off has microseconds, which are cut off: a millisecond later it is surely due.
  return db.findValue<DateTime<true>>(
    `select min(start_after + case state when 'retry' then interval '1 millisecond' else interval '0' end) as at
     from ${schema}.job where name = any($1) and state < 'active'`,
    [queues],
  );
}

/** Exceeds the difference between two machines' clocks. */
const AHEAD = `interval '1 minute'`;

/**
 * Repairs the queue after a clock was set back: its stamps and jobs are in the future, and it would do nothing until then. A
 * job then waits for its intended time. Returns whether there was anything.
 */
export async function pullBack(db: Queryable, schema: string): Promise<boolean> {
  const now = `${schema}.job_now()`;
  const limit = `${now} + ${AHEAD}`;
  const stamps = async (table: string, columns: readonly string[]) => {
    const values = columns.map((column) => `${column} = least(${column}, ${now})`);
    return db.count(
      `update ${schema}.${table} set ${values.join(', ')} where greatest(${columns.join(', ')}) > ${limit} returning 1 as one`,
    );
  };
  const jobs = await db.count(
    `update ${schema}.job set
       start_after = case when state < 'active'
         then greatest(${now}, start_after - (greatest(created_on, started_on, ${now}) - ${now})) else start_after end,
       created_on = least(created_on, ${now}), started_on = least(started_on, ${now}), heartbeat_on = least(heartbeat_on, ${now}),
       -- The minutes of a schedule that come a second time.
       singleton_on = case when singleton_on at time zone 'UTC' > ${limit} then null else singleton_on end
     where greatest(created_on, started_on, heartbeat_on, singleton_on at time zone 'UTC') > ${limit} returning 1 as one`,
  );
  const queues = await stamps('queue', ['monitor_claim_on', 'monitor_on', 'maintain_on', 'delta_on']);
  const own = ['cron_on', 'bam_on', 'flow_on', 'reindex_on'];
  return (await stamps('version', own)) + queues + jobs > 0;
}

/**
 * `isAhead`: the queue's own stamps, of which it makes one every half a minute, show that the clock was set back. `isRunning`: a process
 * took a job of ours and has not ended it, dead or alive; the queue's own pass in milliseconds.
 */
export async function lookForTrouble(
  db: Queryable,
  schema: string,
): Promise<{ isAhead: boolean; isRunning: boolean }> {
  const limit = `${schema}.job_now() + ${AHEAD}`;
  return db.get(
    `select exists (select from ${schema}.version where cron_on > ${limit})
         or exists (select from ${schema}.queue where monitor_claim_on > ${limit}) as is_ahead,
       exists (select from ${schema}.job where state = 'active' and ${IS_OURS}) as is_running`,
  );
}

export interface StalledQueue {
  name: string;
  waiting: number;
  /** Time at which the oldest became due. */
  dueSince: DateTime<true>;
  /** Error of its last failed job; null where none failed. */
  error: string | null;
}

/** Schemas of the plugin's queue and of the embedded service's. */
const SCHEMAS = ['payment_retry_jobs', 'retry_service_jobs'] as const;
/** Many times as long as a worker takes to look again, and a heartbeat to come. */
const STILL = `interval '2 minutes'`;
/** The queue's own jobs, and those that nobody takes, are nobody's work. */
const IS_OURS = `name <> 'dead-letters' and not starts_with(name, '__pgboss__')`;

/** Condition for a failing job: its tries take a minute or two. Jobs that another party fails belong to other concerns. */
const FAILS = `state = 'retry' and not blocked and retry_count >= 5
  and coalesce(output->>'name', '') not in ('UpstreamError', 'EffectsPausedError')`;

/**
 * Queues with work that was due for minutes and of which nothing is done: nobody takes any and nobody has any in his hands, or every try
 * fails and no job has ended.
 */
export function listStalledQueues(db: Queryable): Promise<StalledQueue[]> {
  return inEachSchema(db, (schema) => listStalledIn(db, schema));
}

export interface DueQueue {
  name: string;
  due: number;
  /** How long the oldest of these is due. */
  seconds: number;
}

/** Queues with due work, of the plugin and of the embedded service. */
function listDueJobs(db: Queryable): Promise<DueQueue[]> {
  return inEachSchema(db, (schema) =>
    db.query<DueQueue>(
      `select name, count(*) as due, extract(epoch from ${schema}.job_now() - min(start_after))::float8 as seconds
       from ${schema}.job
       where state < 'active' and not blocked and start_after <= ${schema}.job_now() and ${IS_OURS}
       group by name order by name`,
    ),
  );
}

/** Keeps for monitoring how the queues stand. */
export async function collectQueues(db: Queryable, measures: Measures): Promise<void> {
  const due = await listDueJobs(db);
  const stalled = await listStalledQueues(db);
  const each = <Row extends { name: string }>(rows: readonly Row[], value: (row: Row) => number) =>
    rows.map((row) => ({ labels: { queue: row.name }, value: value(row) }));
  measures.keep(
    'payment_retry_queue_due_jobs',
    each(due, (row) => row.due),
  );
  measures.keep(
    'payment_retry_queue_oldest_due_seconds',
    each(due, (row) => row.seconds),
  );
  measures.keep(
    'payment_retry_stalled_queue',
    each(stalled, () => 1),
  );
}

export interface ActiveJob {
  name: string;
  /** Null for one that is about no single invoice. */
  invoiceId: string | null;
}

/** Jobs of the named queues that a process has taken and not ended. */
export function listActiveJobs(db: Queryable, queues: readonly string[]): Promise<ActiveJob[]> {
  return inEachSchema(db, (schema) =>
    db.query<ActiveJob>(
      `select name, data->>'invoiceId' as invoice_id from ${schema}.job
       where state = 'active' and name = any($1::text[]) order by started_on`,
      [queues],
    ),
  );
}

async function inEachSchema<Row>(
  db: Queryable,
  list: (schema: (typeof SCHEMAS)[number]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const schema of SCHEMAS) {
    const isThere = await db.getValue<boolean>(`select to_regclass('${schema}.job') is not null`);
    if (isThere) rows.push(...(await list(schema)));
  }
  return rows;
}

async function listStalledIn(db: Queryable, schema: (typeof SCHEMAS)[number]): Promise<StalledQueue[]> {
  return db.query<StalledQueue>(
    `with late as (
       select name, count(*) as waiting, min(start_after) as due_since from ${schema}.job
       where state < 'active' and not blocked and ${IS_OURS}
         and (start_after < ${schema}.job_now() - ${STILL} or created_on > ${schema}.job_now() + ${AHEAD})
       group by name
     ), failing as (
       select name, count(*) as waiting, min(started_on) as due_since from ${schema}.job
       where ${FAILS} and ${IS_OURS} group by name
     ), still as (
       select * from late where not exists (
         select 1 from ${schema}.job as moved
         where moved.name = late.name and moved.state >= 'active'
           and greatest(moved.started_on, moved.heartbeat_on)
             between ${schema}.job_now() - ${STILL} and ${schema}.job_now() + ${AHEAD})
       union all
       select * from failing where not exists (
         select 1 from ${schema}.job as done
         where done.name = failing.name and done.state = 'completed' and done.completed_on > ${schema}.job_now() - ${STILL}))
     select name, sum(waiting)::int as waiting, min(due_since) as due_since, (
       select coalesce(output->>'message', output->'value'->>'message') from ${schema}.job as failed
       where failed.name = still.name and failed.state = 'retry' order by failed.started_on desc limit 1) as error
     from still group by name
     union all
     select 'schedule', 0, cron_on, null from ${schema}.version where cron_on > ${schema}.job_now() + ${AHEAD}
     order by name`,
  );
}
