/** The connections of a process to PostgreSQL, and what becomes of them where the server gives no more. */
import pg from 'pg';
import type { Logger } from '../base/logger.ts';
import { connectionTo, OwnClient } from './own-client.ts';
import { poolSession, setSession, type Waits } from './session-settings.ts';

export const USUAL_CONNECTIONS = 20;

export interface PoolOptions {
  readonly url: string;
  readonly waits: Waits;
  readonly connections: number;
}

export function createPool({ url, waits, connections }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    ...connectionTo(url),
    Client: OwnClient,
    max: connections,
    idleTimeoutMillis: 30_000,
    query_timeout: waits.statementMs,
    verify: (client, done) => void begin(client, waits).then(done, done),
  });
  // Without listeners a lost connection ends the process: one that idles, and one between two statements of a
  // transaction. The next statement fails.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Refuses a standby, which accepts connections, too: the database counts as away while one answers. */
async function begin(client: pg.PoolClient, waits: Waits): Promise<Error | undefined> {
  const { isReadOnly } = await setSession(client, poolSession(waits));
  return isReadOnly
    ? new Error('The server takes no writes: it is a standby, or was made read-only.')
    : undefined;
}

/** `too_many_connections`: all that the server, the database or the role may have are taken. */
export const isNoneLeft = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.code === '53300';
/** Others may have given theirs back by then. */
const SHORTAGE_MS = 60_000;

/**
 * Makes the pool work with its existing connections for a while when PostgreSQL refuses another; callers wait for one. False if
 * the pool has none, or the connection failed for another reason.
 */
export function createShortage(
  pool: pg.Pool,
  { connections, logger }: { connections: number; logger: Pick<Logger, 'warn'> },
) {
  let isKnown = false;
  return (refusal: unknown): boolean => {
    if (!isNoneLeft(refusal) || pool.totalCount === 0) return false;
    if (pool.options.max === connections)
      setTimeout(() => {
        pool.options.max = connections;
      }, SHORTAGE_MS).unref();
    pool.options.max = pool.totalCount;
    if (!isKnown)
      logger.warn(
        { reason: refusal.message, connections: pool.totalCount },
        'PostgreSQL gives no more connections: work goes on with these, more slowly. Raise max_connections, or the limit of the role or database',
      );
    isKnown = true;
    return true;
  };
}
