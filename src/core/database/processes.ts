/** The processes that share this database, and which of them are gone. */
import type { DateTime } from 'luxon';
import type { Clock } from '../base/clock.ts';
import { ownVersion } from '../base/own-version.ts';
import type { Database, Queryable } from './database.ts';

/** Whether a row is in somebody's hands. A claim that lasts longer than any does was made by a clock that was ahead. */
export function isClaimed(now: string, table?: string): string {
  const until = table === undefined ? 'claimed_until' : `${table}.claimed_until`;
  return `coalesce(${until} > ${now}::timestamptz and ${until} < ${now}::timestamptz + interval '20 minutes', false)`;
}

/** The process that opened the embedded database is its only one. A simulated clock fires no timers with which to wait for another. */
export const isAlone = (database: Database, clock: Clock): boolean =>
  clock.isSimulated || database.kind === 'embedded';

/** Returns the process's number, which its claims carry. */
export async function registerProcess(db: Queryable, now: DateTime, version = ownVersion()): Promise<number> {
  return db.getValue<number>(
    `insert into payment_retry.processes (started_at, version) values ($1, $2) returning id`,
    [now, version],
  );
}

/** Registers a process again that was cut off until the others took it for dead. Returns whether that was so. */
export async function registerAgain(db: Queryable, id: number, now: DateTime): Promise<boolean> {
  return db.has(
    `insert into payment_retry.processes (id, started_at, version) values ($1, $2, $3) on conflict (id) do nothing returning id`,
    [id, now, ownVersion()],
  );
}

/** Locks of sessions that live; another process's is not touched, only looked at. */
const PRESENT = `(select objid::bigint from pg_locks
  where locktype = 'advisory' and granted and objsubid = 2
    and classid::bigint = hashtext('payment_retry')::bigint & 4294967295
    and database = (select oid from pg_database where datname = current_database()))`;

/** Any registered process; the embedded database has only the one that opened it. */
export async function hasOthersAtWork(db: Queryable): Promise<boolean> {
  return db.getValue<boolean>(`select exists (select from ${PRESENT})`);
}

/** Other versions at work, each once. */
export async function listOtherVersions(db: Queryable): Promise<string[]> {
  return db.listValues<string>(
    `select distinct version from payment_retry.processes where id in ${PRESENT} and version <> $1 order by 1`,
    [ownVersion()],
  );
}

/** Whether there is anything to note: this process was forgotten, or another one is missing or is back. */
export async function isOdd(db: Queryable, self: number): Promise<boolean> {
  return db.getValue<boolean>(
    `select not exists (select 1 from payment_retry.processes where id = $1)
       or exists (select 1 from payment_retry.processes where id <> $1 and (missing_since is not null or id not in ${PRESENT}))`,
    [self],
  );
}

/** Notes since when each process other than `self` has been missing, or that it is back. */
export async function noteMissing(db: Queryable, self: number, now: DateTime): Promise<void> {
  await db.query(
    `update payment_retry.processes set missing_since = case when id in ${PRESENT} then null else $2::timestamptz end
     where id <> $1 and (missing_since is null) <> (id in ${PRESENT})`,
    [self, now],
  );
}

/** Processes that have been missing since `before` or longer. */
export async function listMissing(db: Queryable, self: number, before: DateTime): Promise<number[]> {
  return db.listValues<number>(
    `select id from payment_retry.processes
     where id <> $1 and missing_since <= $2 and id not in ${PRESENT} order by id`,
    [self, before],
  );
}

export async function forgetProcesses(db: Queryable, ids: readonly number[]): Promise<void> {
  await db.query(`delete from payment_retry.processes where id = any($1::integer[])`, [[...ids]]);
}

/** Forgets a process that ends, unless it still has something in its hands: the others will free that. */
export async function unregisterProcess(db: Queryable, id: number): Promise<void> {
  await db.query(
    `delete from payment_retry.processes where id = $1
       and not exists (select 1 from payment_retry.actions where state = 'running' and claimed_by = $1)`,
    [id],
  );
}
