/** The session on PostgreSQL that a process keeps outside the pool for its whole life. */
import type pg from 'pg';
import type { Session } from './database.ts';
import { connectionTo, OwnClient } from './own-client.ts';
import { KEPT_SESSION, setSession } from './session-settings.ts';

const RECONNECT_MS = 500;

/**
 * How the processes in one schema see each other: each holds the lock of its number, which lasts as long as its session. Opens
 * another session when one is lost.
 */
export async function holdPresence(url: string, schema: string, id: number): Promise<Session> {
  let isEnding = false;
  let timer: NodeJS.Timeout | undefined;
  let opening: Promise<pg.Client> | undefined;

  async function open(): Promise<void> {
    opening = connect(url, schema, id);
    const client = await opening;
    client.once('end', openLater);
  }
  /** The database is away, or still holds the lost session; the other connections' failures say so to the operator. */
  function openLater(): void {
    if (!isEnding) timer = setTimeout(() => void open().catch(openLater), RECONNECT_MS);
  }
  await open();
  return {
    end: async () => {
      isEnding = true;
      clearTimeout(timer);
      const client = await opening?.catch(() => undefined);
      await client?.end().catch(() => {});
    },
  };
}

async function connect(url: string, schema: string, id: number): Promise<pg.Client> {
  const client = new OwnClient({
    ...connectionTo(url),
    application_name: 'payment-retry-presence',
    query_timeout: 10_000,
  });
  // Its end is what counts, and comes as an event of its own.
  client.on('error', () => {});
  try {
    await client.connect();
    await setSession(client, KEPT_SESSION);
    // A standby, while it takes over or for good: the other processes would not see the lock there.
    const { rows } = await client.query<{ taken: boolean }>(
      'select not pg_is_in_recovery() and pg_try_advisory_lock(hashtext($1), $2) as taken',
      [schema, id],
    );
    if (rows[0]?.taken !== true) throw new Error(`The presence of process ${id} is held by another session.`);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}
