/** Whether the plugin works: for a host's own health answer, and behind `/readyz`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, PluginError, StoreUnavailableError } from '../../core/base/errors.ts';
import type { Database } from '../../core/database/database.ts';
import { listStalledQueues } from '../../core/database/queued-jobs.ts';
import { listWrongClocks, type WrongClock } from '../store/tables/process-clocks.ts';
import { listPauses } from '../store/tables/retry/pauses.ts';
import { checkWrites } from '../store/tables/sync/prompt-writes.ts';

/** The process receives and works, except for the parts named. */
export interface Ready {
  readonly status: 'ready';
  /** A person, or the limit on charges, has paused payments and emails. */
  readonly effects?: 'paused';
  /** Queues of whose due jobs none has ended for two minutes. */
  readonly stalled?: readonly string[];
  /** Processes whose clock, or whose database's, differs by a minute or more, in seconds. */
  readonly clocks?: readonly WrongClock[];
  /** The error of these parts' last job. It may name Stripe objects, so `/readyz` leaves it out. */
  readonly lastError?: string;
}

/** What `plugin.health()` answers. */
export type Health =
  | Ready
  /** Senders are answered with 503 and try again. */
  | { readonly status: 'unavailable'; readonly code: ErrorCode; readonly message: string };

interface HealthDeps {
  readonly database: Database;
  readonly processId: () => number | undefined;
}

/** A load balancer asks again after some seconds, and takes silence for the end of the process. */
const ANSWER_MS = 5_000;

/**
 * Returns a reader of the readiness. Concurrent callers share one examination, so that they take one connection of a busy
 * database. A paused or stalled process is still ready: it must receive. Rejects with StoreUnavailableError, after seconds at
 * most.
 */
export function createReadiness(deps: HealthDeps): () => Promise<Ready> {
  let examination: Promise<Ready> | undefined;
  return async () => {
    examination ??= examine(deps).finally(() => {
      examination = undefined;
    });
    const over = new AbortController();
    try {
      return await Promise.race([examination, refuseLate(over.signal)]);
    } catch (error) {
      throw new StoreUnavailableError(error);
    } finally {
      over.abort();
    }
  };
}

async function refuseLate(signal: AbortSignal): Promise<never> {
  await sleep(ANSWER_MS, undefined, { signal });
  throw new Error(`The database has not answered in ${ANSWER_MS / 1_000} seconds.`);
}

async function examine({ database, processId }: HealthDeps): Promise<Ready> {
  await checkWrites(database, processId());
  const [pauses, queues] = [await listPauses(database), await listStalledQueues(database)];
  const clocks = await listWrongClocks(database);
  const error = queues.find((queue) => queue.error !== null)?.error;
  return {
    status: 'ready',
    ...(pauses.length > 0 ? { effects: 'paused' } : {}),
    ...(queues.length > 0 ? { stalled: queues.map(({ name }) => name) } : {}),
    ...(clocks.length > 0 ? { clocks } : {}),
    ...(error ? { lastError: error } : {}),
  };
}

/** Never rejects. */
export async function askHealth(read: () => Promise<Ready>): Promise<Health> {
  try {
    return await read();
  } catch (error) {
    const { code, message } =
      error instanceof PluginError ? error : new PluginError('INTERNAL', 'The log has the cause.');
    return { status: 'unavailable', code, message };
  }
}
