/**
 * What a server's background processes do, and nobody for a single backend. Checkpoints keep the log short, so that opening after a
 * crash takes seconds. Vacuum and statistics keep tables as small, and plans as good, as their rows allow; kept plans, made for the
 * sizes that tables had, end with a checkpoint. All of it runs on the database's own thread; statements wait meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../base/logger.ts';
import type { Send } from './pglite/connection-turns.ts';
import { readRows } from './rows.ts';

export interface UpkeepLimits {
  /** Log since the last checkpoint that makes the next one due. */
  readonly logBytes: number;
  /** Time since the last checkpoint that makes the next one due, if anything was written. */
  readonly checkpointMs: number;
  readonly vacuumMs: number;
}

const LIMITS: UpkeepLimits = { logBytes: 64 * 2 ** 20, checkpointMs: 5 * 60_000, vacuumMs: 60_000 };

/** Interval in which PGlite at full speed writes a third of `logBytes`. */
const LOOK_MS = 1_000;
const AFTER_FAILURE_MS = 60_000;

export interface Upkeep {
  /** Notes that statements are sent: without any there is nothing to keep up. */
  noteUse(): void;
  stop(): void;
}

export function createUpkeep(
  send: Send,
  logger: Pick<Logger, 'warn'>,
  given: Partial<UpkeepLimits> = {},
): Upkeep {
  const limits = { ...LIMITS, ...given };
  const over = new AbortController();
  let isLooking = false;
  let checkpointAt = performance.now();
  let vacuumAt = performance.now();
  /** Tables that had their turn since `vacuumAt`. One that is worn again waits, as for PostgreSQL's own autovacuum. */
  let vacuumed: string[] = [];

  async function look(): Promise<void> {
    const now = performance.now();
    const bytes = await countLog(send);
    if (bytes >= limits.logBytes || (bytes > IDLE_BYTES && now - checkpointAt >= limits.checkpointMs)) {
      await send({ text: 'checkpoint; discard plans' });
      checkpointAt = now;
    }
    if (now - vacuumAt < limits.vacuumMs) return;
    const table = await findWorn(send, vacuumed);
    if (table === undefined) vacuumAt = now;
    vacuumed = table === undefined ? [] : [...vacuumed, table];
    if (table !== undefined) await send({ text: `vacuum (analyze) ${table}` });
  }

  async function lookSoon(): Promise<void> {
    try {
      await sleep(LOOK_MS, undefined, { ref: false, signal: over.signal });
      await look();
    } catch (error) {
      if (over.signal.aborted) return;
      logger.warn({ err: error }, 'upkeep of the embedded database failed; it is tried again in a minute');
      await sleep(AFTER_FAILURE_MS, undefined, { ref: false, signal: over.signal }).catch(() => {});
    } finally {
      isLooking = false;
    }
  }

  return {
    noteUse: () => {
      if (isLooking || over.signal.aborted) return;
      isLooking = true;
      void lookSoon();
    },
    stop: () => over.abort(),
  };
}

/** What a checkpoint itself writes, and a few idle statements. */
const IDLE_BYTES = 16 * 1024;

/** Returns the bytes that opening after a crash would have to read. */
async function countLog(send: Send): Promise<number> {
  const [result] = await send({
    text: 'select (pg_current_wal_insert_lsn() - redo_lsn)::float8 as bytes from pg_control_checkpoint()',
  });
  return (result && readRows<{ bytes: number }>(result)[0]?.bytes) ?? 0;
}

/** PostgreSQL's own thresholds (postgresql.org/docs/18/routine-vacuuming.html), and an age far below the one that ends all writing. */
const WORN = `select format('%I.%I', schemaname, stats.relname) as name from pg_stat_all_tables stats join pg_class on oid = relid
  where schemaname <> 'pg_toast' and format('%I.%I', schemaname, stats.relname) <> all($1::text[]) and (
    n_dead_tup > 50 + 0.2 * greatest(reltuples, 0) or n_ins_since_vacuum > 1000 + 0.2 * greatest(reltuples, 0)
    or n_mod_since_analyze > 50 + 0.1 * greatest(reltuples, 0) or age(relfrozenxid) > 150000000)
  order by n_dead_tup desc limit 1`;

async function findWorn(send: Send, vacuumed: readonly string[]): Promise<string | undefined> {
  const [result] = await send({ text: WORN, params: [vacuumed] });
  return result && readRows<{ name: string }>(result)[0]?.name;
}
