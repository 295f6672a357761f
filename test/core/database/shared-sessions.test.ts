/** PgBouncer between the process and PostgreSQL, where this machine has it (Debian: `apt-get install pgbouncer`). */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { ConfigError } from '../../../src/core/base/errors.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { openPostgres } from '../../../src/core/database/postgres-database.ts';
import { POSTGRES, type TestLocation } from '../../support/database/databases.ts';
import { otherUser } from '../../support/database/postgres-programs.ts';
import { freePort } from '../../support/database/postgres-server.ts';
import { eventually } from '../../support/eventually.ts';

const hasPooler = spawnSync('pgbouncer', ['--version'], { stdio: 'ignore' }).status === 0;
const SERVERS = hasPooler ? POSTGRES : [];
if (SERVERS.length === 0)
  it.skip('sessions through PgBouncer: this machine has no PgBouncer, or no PostgreSQL', () => {});
else
  describe.each(SERVERS)('sessions through PgBouncer on $engine', ({ create }) => {
    let place: TestLocation;
    let pooler: Awaited<ReturnType<typeof startPooler>> | undefined;
    beforeAll(async () => {
      place = await create();
    });
    afterEach(() => pooler?.stop());
    afterAll(() => place.remove());

    const begin = async (settings: string) => {
      if (place.location.kind !== 'postgres') throw new Error('There is no server.');
      pooler = await startPooler(place.location.url, settings);
      return pooler.url;
    };

    it.each([
      ['the last idle one first', 'pool_mode = transaction', 0],
      ['one after another', 'pool_mode = transaction\nserver_round_robin = 1', 0],
      ['one after another, of which four idle', 'pool_mode = transaction\nserver_round_robin = 1', 4],
    ])('sessions that are shared (%s) end the start with what to do', async (_how, settings, idle) => {
      const url = await begin(settings);
      await useAtOnce(url, idle);
      const opening = openPostgres(url, silentLogger);
      await expect(opening).rejects.toBeInstanceOf(ConfigError);
      await expect(opening).rejects.toThrow(
        /DATABASE_URL: .*PgBouncer in transaction mode.*pool_mode = session/,
      );
    });

    it('sessions of its own through a pooler are as good as without one', async () => {
      const database = await openPostgres(await begin('pool_mode = session'), silentLogger);
      const presence = await database.showPresence(7);
      const waits = `select current_setting('lock_timeout') as waits`;
      expect(await database.query(waits)).toEqual([{ waits: '5s' }]);
      expect(await database.query(waits, [], 'prompt')).toEqual([{ waits: '200ms' }]);
      await presence.end();
      await database.close();
    });
  });

/** Leaves so many sessions of the pooler idle. */
async function useAtOnce(url: string, count: number): Promise<void> {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }));
  for (const client of clients) {
    await client.connect();
    await client.query('begin');
  }
  await Promise.all(clients.map((client) => client.query('rollback')));
  await Promise.all(clients.map((client) => client.end()));
}

/** Ends with the input of its shell, also when the test run is killed. */
const GUARDED = 'pgbouncer "$1" & pooler=$!; read -r _; kill -s KILL $pooler; wait $pooler';

async function startPooler(serverUrl: string, settings: string) {
  const user = otherUser();
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-pooler-'));
  const { hostname, port, pathname } = new URL(serverUrl);
  const ownPort = await freePort();
  const file = join(directory, 'pooler.ini');
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=test
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
${settings}
`,
  );
  if (user) for (const path of [directory, file]) chownSync(path, user.uid, user.gid);
  const shell = spawn('sh', ['-c', GUARDED, 'sh', file], {
    ...user,
    cwd: directory,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(shell, 'close');
  const url = `postgres://test@127.0.0.1:${ownPort}${pathname}`;
  await eventually(async () => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    await client.end();
  });
  return {
    url,
    stop: async () => {
      shell.stdin.end();
      await ended;
      rmSync(directory, { recursive: true });
    },
  };
}
