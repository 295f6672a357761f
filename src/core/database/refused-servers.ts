/** Servers that cannot hold our rows, and poolers that give a session away between two transactions: PgBouncer in transaction mode, and its like. */
import type pg from 'pg';
import { ConfigError } from '../base/errors.ts';
import type { Queryable } from './database.ts';

const ENCODING = `select current_setting('server_encoding') as encoding, current_database() as name`;

/** Another encoding lacks characters that Stripe sends: their events could never be stored. */
export async function refuseOtherEncoding(db: Queryable): Promise<void> {
  const [row] = await db.query<{ encoding: string; name: string }>(ENCODING);
  const { encoding, name } = row ?? {};
  if (encoding === 'UTF8') return;
  throw new ConfigError([
    `DATABASE_URL: database ${name} is encoded in ${encoding}, which cannot store every name and text that Stripe sends. Create one in UTF-8 (createdb --encoding=UTF8 --template=template0 NAME) and name that.`,
  ]);
}

/** The third of our connections meets one that was the first's, with any choice of a pooler. */
const MOST_HOLDERS = 3;

/**
 * Throws a ConfigError where sessions are shared: locks and settings of a session would be another's. PostgreSQL tells a client
 * the number of its own process, a pooler one that it made up: only then sessions are compared.
 */
export async function refuseSharedSessions(pool: pg.Pool): Promise<void> {
  const first = await pool.connect();
  const holders: pg.PoolClient[] = [];
  try {
    const pids = new Set([await pidOf(first)]);
    if ('processID' in first && pids.has(Number(first.processID))) return;
    while (holders.length < MOST_HOLDERS) {
      const holder = await pool.connect().catch(() => undefined);
      // It has no more for us: what it has is ours alone, or will be looked at by the next start.
      if (!holder) return;
      holders.push(holder);
      await holder.query('begin');
      // A session of one's own keeps its process, which nobody else has meanwhile.
      if (pids.has(await pidOf(holder)) || !pids.has(await pidOf(first))) throw refusal();
    }
  } finally {
    for (const client of [first, ...holders]) client.release(holders.length > 0);
  }
}

async function pidOf(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

const refusal = () =>
  new ConfigError([
    'DATABASE_URL: between here and PostgreSQL is a pooler that shares sessions, such as PgBouncer in transaction mode. Set it to session mode (pool_mode = session), or give the address of PostgreSQL itself.',
  ]);
