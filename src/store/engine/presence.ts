/** How the processes on one PostgreSQL see each other: each holds a lock that lasts as long as its session. */
import pg from 'pg';

/** The class of these advisory locks; a process's number is the other half of the key. */
export const PRESENCE_LOCKS = 1_886_548_530;

export interface Presence {
  /** Gives the lock up. */
  end(): Promise<void>;
}

/** The embedded database has one process: who opened the directory lives, and nobody else does. */
export const alone: Presence = { end: async () => {} };

const RECONNECT_MS = 500;

/** Session settings: PostgreSQL notices within half a minute that a machine vanished, and gives its locks back. */
export const SERVER_KEEPALIVE =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/** A killed process's session ends with its connection, at once. One that is merely slow keeps it, and so its lock. */
const SESSION_SETTINGS = `-c timezone=UTC -c application_name=payment-retry-presence -c idle_session_timeout=0 ${SERVER_KEEPALIVE}`;

/** Holds the lock of process `id` over a connection of its own, and takes it again when that is lost. */
export async function holdPresence(url: string, id: number): Promise<Presence> {
  let client = await connect(url, id);
  let isEnding = false;
  let timer: NodeJS.Timeout | undefined;
  let connecting: Promise<void> = Promise.resolve();

  function watch(connected: pg.Client): void {
    connected.once('end', () => {
      if (!isEnding) timer = setTimeout(() => void again(), RECONNECT_MS);
    });
  }
  function again(): Promise<void> {
    connecting = connect(url, id).then(
      (connected) => {
        client = connected;
        watch(connected);
      },
      // The database is away, or still holds the lost session; the other connections' failures say so to the operator.
      () => {
        if (!isEnding) timer = setTimeout(() => void again(), RECONNECT_MS);
      },
    );
    return connecting;
  }
  watch(client);
  return {
    end: async () => {
      isEnding = true;
      clearTimeout(timer);
      await connecting;
      await client.end().catch(() => {});
    },
  };
}

async function connect(url: string, id: number): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    options: SESSION_SETTINGS,
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // Its end is what counts, and comes as an event of its own.
  client.on('error', () => {});
  try {
    await client.connect();
    // A standby, while it takes over or for good: the other processes would not see the lock there.
    const { rows } = await client.query<{ taken: boolean }>(
      'select not pg_is_in_recovery() and pg_try_advisory_lock($1, $2) as taken',
      [PRESENCE_LOCKS, id],
    );
    if (rows[0]?.taken !== true) throw new Error(`The presence of process ${id} is held by another session.`);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}
