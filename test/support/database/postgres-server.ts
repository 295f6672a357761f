/** A PostgreSQL for tests and benchmarks: DATABASE_URL_TEST, or a throw-away server on loopback. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { copyRunning } from './copy-postgres.ts';
import { copyBinaries, findBinaries, otherUser, type User } from './postgres-programs.ts';

export interface TestPostgres {
  readonly url: string;
  /** A new database, empty or a copy of another one's; returns its address. Removed by `stop` at the latest. */
  createDatabase(template?: string): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  stop(): Promise<void>;
}

/** Undefined if no server is named and this machine has none. `fsync` is for one that is started here. */
export async function findTestPostgres(fsync: 'on' | 'off' = 'off'): Promise<TestPostgres | undefined> {
  const given = process.env.DATABASE_URL_TEST;
  if (given) return connectTestPostgres(given);
  const server = await startServer(fsync === 'off' ? FORGETFUL : {});
  return server && connectTestPostgres(server.socketUrl ?? server.url, server.stop);
}

/** PostgreSQL as a process that a test stops and starts, under whoever is using it. */
export interface OwnPostgres {
  readonly url: string;
  /** The same by a socket file, a third faster than TCP. Undefined where the system has none, or the path is too long. */
  readonly socketUrl: string | undefined;
  /** As `pg_ctl stop` in this mode. Resolves when it has ended. */
  halt(mode: keyof typeof SIGNALS): Promise<void>;
  /** On the same port, with what it had. Resolves when it takes connections. */
  start(): Promise<void>;
  /** A copy that follows it: what is acknowledged from now on is there, too. `pg_promote()` makes it the server. */
  startStandby(): Promise<OwnPostgres | undefined>;
  /** For good. */
  stop(): Promise<void>;
}

const SIGNALS = { fast: 'INT', immediate: 'QUIT' } as const;

/** What it has acknowledged outlives its own end, though not the machine's. Undefined if this machine has no PostgreSQL. */
export async function startOwnPostgres(): Promise<OwnPostgres | undefined> {
  return startServer({ fsync: 'off', full_page_writes: 'off' });
}

/** A server that runs already. */
export function connectTestPostgres(url: string, stopServer = async () => {}): TestPostgres {
  const created = new Set<string>();
  const dropDatabase = async (databaseUrl: string) => {
    created.delete(databaseUrl);
    await administer(url, `drop database if exists ${nameOf(databaseUrl)} with (force)`);
  };
  return {
    url,
    createDatabase: async (template) => {
      const name = `payment_retry_test_${randomBytes(6).toString('hex')}`;
      // As files: through the log, which is the default, it costs three times as much, and to drop it, too.
      const source = template ? ` template ${nameOf(template)} strategy file_copy` : '';
      await administer(url, `create database ${name}${source}`);
      const address = new URL(url);
      address.pathname = name;
      created.add(address.href);
      return address.href;
    },
    dropDatabase,
    stop: async () => {
      for (const databaseUrl of created) await dropDatabase(databaseUrl);
      await stopServer();
    },
  };
}

const nameOf = (databaseUrl: string) => new URL(databaseUrl).pathname.slice(1);

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * Ends the server, and removes it, when its input closes: also when the test run is killed and can do nothing itself. A
 * line names the signal that stops it, and the next line starts it again.
 */
const GUARDED_START = `folder=$1; shift
begin() { "$@" >/dev/null & server=$!; }
begin "$@"
while read -r signal; do kill -s "$signal" $server; wait $server; echo ended; read -r _ || break; begin "$@"; done
kill -s INT $server; wait $server; cd /; rm -rf "$folder"`;

/** Processes are killed in the tests, but never this server. */
const FORGETFUL = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_wal_size: '256MB',
  // The databases live for seconds; where a plan matters, the test analyses its tables itself.
  autovacuum: 'off',
};

interface Beginning {
  readonly bin: string;
  readonly directory: string;
  readonly data: string;
  readonly user: User | undefined;
}

async function startServer(
  extra: Readonly<Record<string, unknown>>,
  fill: (beginning: Beginning) => Promise<void> = initialize,
): Promise<OwnPostgres | undefined> {
  const user = otherUser();
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-postgres-'));
  if (user) chownSync(directory, user.uid, user.gid);
  const bin = findBinaries(user) ?? copyBinaries(user, directory);
  if (bin === undefined) {
    rmSync(directory, { recursive: true });
    return undefined;
  }
  const data = join(directory, 'data');
  await fill({ bin, directory, data, user });
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: directory,
    max_connections: 200,
    ...extra,
    logging_collector: 'off',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(
    'sh',
    ['-c', GUARDED_START, 'sh', directory, join(bin, 'postgres'), '-D', data, ...flags],
    {
      ...user,
      detached: true,
      cwd: directory,
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  server.stdout.resume();
  const stop = async () => {
    server.stdin.end();
    await ended;
  };
  const url = `postgres://test@127.0.0.1:${port}/postgres`;
  try {
    await waitUntilReady(url, server);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    socketUrl: hasSocket(directory) ? `${url}?host=${encodeURIComponent(directory)}` : undefined,
    stop,
    startStandby: async () => {
      const standby = await startServer(
        { ...extra, primary_conninfo: `host=127.0.0.1 port=${port} user=test` },
        (beginning) => copyRunning(url, data, beginning),
      );
      // From now on each commit waits for it.
      await administer(url, "alter system set synchronous_standby_names = '*'");
      await administer(url, 'select pg_reload_conf()');
      return standby;
    },
    halt: async (mode) => {
      server.stdin.write(`${SIGNALS[mode]}\n`);
      await once(server.stdout, 'data');
    },
    start: async () => {
      server.stdin.write('start\n');
      await waitUntilReady(url, server);
    },
  };
}

async function initialize({ bin, directory, data, user }: Beginning): Promise<void> {
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'test', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, cwd: directory, stdio: 'pipe' },
  );
}

/** A path of at most 103 bytes on every system, of which the name of the socket takes some. */
const hasSocket = (directory: string) => platform() !== 'win32' && directory.length < 85;

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Bounds a hang: it takes a second or two. */
const READY_WITHIN_MS = 120_000;

async function waitUntilReady(url: string, server: ChildProcess): Promise<void> {
  for (const end = Date.now() + READY_WITHIN_MS; Date.now() < end; ) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with code ${server.exitCode}.`);
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await client.end().catch(() => {});
    }
  }
  throw new Error(`PostgreSQL did not answer within ${READY_WITHIN_MS / 1000} seconds.`);
}
