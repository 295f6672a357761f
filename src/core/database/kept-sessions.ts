/** Sessions on PostgreSQL that a process keeps outside the pool for its whole life. */
import pg from 'pg';
import { connectionTo, OwnClient } from './own-client.ts';
import { KEPT_SESSION, setSession } from './session-settings.ts';

export interface Session {
  end(): Promise<void>;
}

/** The embedded database has one process: who opened the directory lives, and nobody else does. */
export const alone: Session = { end: async () => {} };

const RECONNECT_MS = 500;

/** How the processes in one schema see each other: each holds the lock of its number, which lasts as long as its session. */
export async function holdPresence(url: string, schema: string, id: number): Promise<Session> {
  const kept = keepSession(url, 'payment-retry-presence', async (client) => {
    // A standby, while it takes over or for good: the other processes would not see the lock there.
    const { rows } = await client.query<{ taken: boolean }>(
      'select not pg_is_in_recovery() and pg_try_advisory_lock(hashtext($1), $2) as taken',
      [schema, id],
    );
    if (rows[0]?.taken !== true) throw new Error(`The presence of process ${id} is held by another session.`);
  });
  await kept.open();
  return kept;
}

/**
 * Listens for `pg_notify` on this channel. Notifications are lost while the session is; `hear` is called without a message each
 * time that it reopens.
 */
export function listen(url: string, channel: string, hear: (message?: string) => void): Session {
  const kept = keepSession(url, 'payment-retry-listener', async (client) => {
    client.on('notification', ({ payload }) => hear(payload));
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    hear();
  });
  void kept.open().catch(kept.openLater);
  return kept;
}

/** Prepares each connection by `begin`, and opens another when one is lost. */
function keepSession(url: string, name: string, begin: (client: pg.Client) => Promise<void>) {
  let isEnding = false;
  let timer: NodeJS.Timeout | undefined;
  let opening: Promise<pg.Client> | undefined;

  async function open(): Promise<void> {
    opening = connect(url, name, begin);
    const client = await opening;
    client.once('end', openLater);
  }
  /** The database is away, or still holds the lost session; the other connections' failures say so to the operator. */
  function openLater(): void {
    if (!isEnding) timer = setTimeout(() => void open().catch(openLater), RECONNECT_MS);
  }
  return {
    open,
    openLater,
    end: async () => {
      isEnding = true;
      clearTimeout(timer);
      const client = await opening?.catch(() => undefined);
      await client?.end().catch(() => {});
    },
  };
}

async function connect(
  url: string,
  name: string,
  begin: (client: pg.Client) => Promise<void>,
): Promise<pg.Client> {
  const client = new OwnClient({ ...connectionTo(url), application_name: name, query_timeout: 10_000 });
  // Its end is what counts, and comes as an event of its own.
  client.on('error', () => {});
  try {
    await client.connect();
    await setSession(client, KEPT_SESSION);
    await begin(client);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}
