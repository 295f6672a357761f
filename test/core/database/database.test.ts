import { DateTime } from 'luxon';
import { DatabaseBusyError } from '../../../src/core/base/errors.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { type Database, LONG } from '../../../src/core/database/database.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { openPostgres } from '../../../src/core/database/postgres-database.ts';
import { retryWhileDatabaseDown } from '../../../src/core/database/retry-while-database-down.ts';
import { EVERY_ENGINE, onPostgres, type TestLocation } from '../../support/database/databases.ts';
import { eventually } from '../../support/eventually.ts';
import { layWire } from '../../support/http/wire.ts';
import { captureLog } from '../../support/log-lines.ts';

describe.each(EVERY_ENGINE)('database on $engine', ({ create }) => {
  let place: TestLocation;
  let database: Database;
  beforeAll(async () => {
    place = await create();
    database = await openDatabase(place.location);
    await database.exec('create table public.kept (id integer primary key)');
  });
  beforeEach(() => database.exec('truncate public.kept'));
  afterAll(async () => {
    await database.close();
    await place.remove();
  });

  const kept = async () =>
    (await database.query<{ id: number }>('select id from public.kept order by id')).map(({ id }) => id);

  it('the database undoes a transaction whose work fails or whose statement is refused, and goes on', async () => {
    const changed = database.transaction(async (tx) => {
      await tx.query('insert into public.kept values (1)');
      throw new Error('changed my mind');
    });
    await expect(changed).rejects.toThrow('changed my mind');
    const refused = database.transaction(async (tx) => {
      await tx.query('insert into public.kept values (2)');
      await tx.query('insert into public.kept values (2)');
    });
    await expect(refused).rejects.toMatchObject({ code: '23505' });
    await database.transaction((tx) => tx.query('insert into public.kept values (3)'));
    expect(await kept()).toEqual([3]);
  });

  it('the database does not hand on a transaction that a failed text of several statements had begun', async () => {
    const text = 'begin; insert into public.kept values (1); insert into public.kept values (1); commit';
    await expect(database.queue.executeSql(text)).rejects.toMatchObject({ code: '23505' });
    const uses = Array.from({ length: 25 }, (_, id) =>
      database.query('insert into public.kept values ($1)', [id]),
    );
    await Promise.all(uses);
    expect(await kept()).toHaveLength(25);
  });

  it('the database gives times in UTC and 64-bit integers as numbers', async () => {
    const [row] = await database.query(
      `select '2026-03-02T10:00:00+02:00'::timestamptz as at, 9007199254740991::bigint as large, count(*) as none
       from public.kept`,
    );
    expect(row).toEqual({
      at: DateTime.fromISO('2026-03-02T08:00:00Z', { zone: 'utc' }),
      large: Number.MAX_SAFE_INTEGER,
      none: 0,
    });
  });

  it('the database takes a time of any zone, and what is absent as null', async () => {
    const at = DateTime.fromISO('2026-03-01T12:00:00.123+02:00', { setZone: true });
    const [row] = await database.query<object>(
      'select $1::timestamptz as here, ($2::timestamptz[])[2] as there, $3::text as absent, $4::text as nothing',
      [at, [undefined, at], undefined, null],
    );
    expect(row).toEqual({ here: at.toUTC(), there: at.toUTC(), absent: null, nothing: null });
  });

  it('the database keeps a statement that comes again, and takes up what changes in its columns', async () => {
    await database.exec('create table public.changing (id integer)');
    const read = () => database.query('select * from public.changing where id > $1', [0]);
    const readTogether = () => Promise.all(Array.from({ length: 5 }, read));
    for (let time = 0; time < 3; time += 1) await readTogether();
    const [kept] = await database.query<{ count: number }>(
      `select count(*) from pg_prepared_statements where statement like '%public.changing%'`,
    );
    expect(kept?.count).toBe(1);
    await database.exec('alter table public.changing add column name text');
    await database.exec(`insert into public.changing values (1, 'new')`);
    expect(await readTogether()).toEqual(Array.from({ length: 5 }, () => [{ id: 1, name: 'new' }]));
    await database.exec('alter table public.changing drop column name');
    const inTransaction = () =>
      database.transaction((tx) => tx.query('select * from public.changing where id > $1', [0]));
    await inTransaction().catch(() => {});
    expect(await read()).toEqual([{ id: 1 }]);
  });

  it('the database plans a search for the words of each time, and on PostgreSQL every statement that it keeps', async () => {
    const some = database.kind === 'postgres' ? 'id > $1' : `'1' @@ to_tsquery('simple', $1)`;
    for (let id = 0; id < 20; id += 1) await database.query(`select * from public.kept where ${some}`, [id]);
    const plans = `select coalesce(sum(generic_plans), 0)::int from pg_prepared_statements where statement like '%public.kept where%$1%'`;
    expect(await database.getValue(plans)).toBe(0);
  });
});

describe('the network between', () => {
  const openThenRead = async (url: string) => {
    const log = captureLog();
    await openPostgres(url, log.logger).catch(() => undefined);
    return log.lines.filter((line) => line.includes('not encrypted'));
  };

  it.each(['', '?sslmode=disable'])(
    'a DATABASE_URL to another host with "%s" is warned about',
    async (query) => {
      expect(await openThenRead(`postgres://u:p@db.invalid/x${query}`)).toHaveLength(1);
    },
  );

  it.each([
    'postgres://u:p@db.invalid/x?sslmode=verify-full',
    'postgres://u:p@127.0.0.1:1/x',
    'postgres://u:p@localhost:1/x',
    'postgres://u:p@/x?host=/nowhere',
  ])('%s is not warned about', async (url) => {
    expect(await openThenRead(url)).toEqual([]);
  });
});

onPostgres('connections on postgres', ({ create }) => {
  let place: TestLocation;
  let url: string;
  let database: Database;
  beforeAll(async () => {
    place = await create();
    url = place.location.kind === 'postgres' ? place.location.url : '';
    database = await openDatabase(place.location);
    await database.exec('create table public.kept (id integer primary key)');
  });
  afterAll(async () => {
    await database.close();
    await place.remove();
  });

  const away = expect.objectContaining({
    code: 'STORE_UNAVAILABLE',
    message: 'The database cannot be reached.',
  });

  it('connections that the server ends are replaced at the next query', async () => {
    const ended = database.query('select pg_terminate_backend(pg_backend_pid())');
    await expect(ended).rejects.toEqual(away);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('connections that the server ends between two statements of a transaction fail that transaction and nothing else', async () => {
    const cutOff = database.transaction(async (tx) => {
      const [mine] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await database.query('select pg_terminate_backend($1)', [mine?.pid]);
      await eventually(async () => {
        const left = await database.query('select 1 from pg_stat_activity where pid = $1', [mine?.pid]);
        expect(left).toEqual([]);
      });
      // With this answer its end has arrived here, too, while nobody waited for one of its own.
      await database.query('select 1');
      await tx.query('insert into public.kept values (1)');
    });
    await expect(cutOff).rejects.toEqual(away);
    expect(await database.query('select id from public.kept')).toEqual([]);
  });

  it('connections that go silent are given up, and the log is told once that the database is away, and once that it is back', async () => {
    const wire = await layWire(url);
    const { logger, lines } = captureLog();
    const remote = await openPostgres(wire.url, logger, { statementMs: 300 });
    await remote.query('select 1');
    const transaction = remote.transaction(async (tx) => {
      await tx.query('insert into public.kept values (2)');
      wire.cut();
      await tx.query('insert into public.kept values (3)');
    });
    await expect(transaction).rejects.toEqual(away);
    await wire.stop();
    await expect(remote.query('select 1')).rejects.toEqual(away);
    const again = await layWire(url, wire.url);
    expect(await remote.query('select id from public.kept')).toEqual([]);
    await remote.close();
    await again.stop();
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      expect.stringContaining('the database is away'),
      'the database is back',
    ]);
  });

  it('connections to a server that takes no writes are as good as none', async () => {
    const name = new URL(url).pathname.slice(1);
    await database.exec('set default_transaction_read_only = on');
    await expect(database.query('insert into public.kept values (4)')).rejects.toEqual(away);
    await database.query('insert into public.kept values (5)');

    await database.exec(`alter database ${name} set default_transaction_read_only = on`);
    await expect(openDatabase(place.location)).rejects.toEqual(away);
    await database.exec(`alter database ${name} reset default_transaction_read_only`);
    const standby = await openDatabase(place.location);
    expect(await standby.query('select id from public.kept')).toEqual([{ id: 5 }]);
    await standby.close();
  });

  it('connections are waited for where the server gives no more of them', async () => {
    const role = 'payment_retry_short';
    await database.exec(`drop role if exists ${role}; create role ${role} login connection limit 3`);
    const address = new URL(place.location.kind === 'postgres' ? place.location.url : '');
    address.username = role;
    const log = captureLog();
    const short = await openPostgres(address.href, log.logger);
    try {
      const work = Array.from({ length: 40 }, (_, number) =>
        short.transaction(async (tx) => {
          await tx.query('select pg_sleep(0.01)');
          return tx.query(`select ${number} as number`);
        }),
      );
      expect((await Promise.all(work)).flat()).toEqual(work.map((_, number) => ({ number })));
      // Those for prompt statements are taken as well: one of the others serves.
      const setting = `select current_setting('lock_timeout') as waits`;
      expect(await short.query(setting, [], 'prompt')).toEqual([{ waits: '5s' }]);
      expect(log.lines.map((line) => JSON.parse(line))).toEqual([
        expect.objectContaining({ level: 40, reason: `too many connections for role "${role}"` }),
      ]);
    } finally {
      await short.close();
      await database.exec(`drop role ${role}`);
    }
  });

  it('connections wait for a lock of another session so long, and go on with another statement', async () => {
    const short = await openPostgres(url, silentLogger, { lockMs: 100 });
    const pid = async () => (await short.query('select pg_backend_pid() as pid'))[0];
    const before = await pid();
    await database.transaction(async (tx) => {
      await tx.query('lock table public.kept');
      await expect(short.query('select id from public.kept')).rejects.toBeInstanceOf(DatabaseBusyError);
    });
    expect(await pid()).toEqual(before);
    await short.close();
  });

  it('connections for prompt statements wait a moment for a lock, and are of the number that a process may have', async () => {
    const few = await openPostgres(url, silentLogger, { connections: 5 });
    const setting = `select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`;
    expect(await few.query(setting, [], 'prompt')).toEqual([{ lock: '200ms', statement: '7200ms' }]);
    const pids = async (pace?: 'prompt') => {
      const asked = Array.from({ length: 10 }, () =>
        few.query<{ pid: number }>('select pg_backend_pid() as pid from pg_sleep(0.05)', [], pace),
      );
      return (await Promise.all(asked)).flatMap((rows) => rows.map(({ pid }) => pid));
    };
    const [prompt, others] = await Promise.all([pids('prompt'), pids()]);
    expect([new Set(prompt).size, new Set(others).size, new Set([...prompt, ...others]).size]).toEqual([
      1, 4, 5,
    ]);
    await few.close();
  });

  it('connections wait for a statement so long, or as long as its transaction asks for', async () => {
    const short = await openPostgres(url, silentLogger, { statementMs: 2_000 });
    const pid = async () => (await short.query('select pg_backend_pid() as pid'))[0];
    const before = await pid();
    const slow = 'select 1 as one from pg_sleep(2.5)';
    await expect(short.query(slow)).rejects.toMatchObject({ code: '57014' });
    expect(await pid()).toEqual(before);
    expect(await short.transaction((tx) => tx.query(slow), LONG)).toEqual([{ one: 1 }]);
    await short.close();
  });

  it('connections of a process that stands still inside a transaction give back what it has locked', async () => {
    const still = await openPostgres(url, silentLogger, { idleMs: 200 });
    await database.query('insert into public.kept values (9)');
    const transaction = still.transaction(async (tx) => {
      await tx.query('delete from public.kept where id = 9');
      await database.query('update public.kept set id = 10 where id = 9');
      await tx.query('insert into public.kept values (11)');
    });
    await expect(transaction).rejects.toEqual(away);
    expect(await database.query('select id from public.kept where id > 8')).toEqual([{ id: 10 }]);
    await still.close();
  });

  it('connections of a process that is gone are noticed while they wait', async () => {
    const [row] = await database.query<{ setting: string }>(
      `select coalesce(current_setting('client_connection_check_interval', true), '10s') as setting`,
    );
    expect(row?.setting).toBe(process.platform === 'win32' ? '0' : '10s');
  });

  it('connections are not made again once the database is closed', async () => {
    const closed = await openDatabase(place.location);
    await closed.close();
    await expect(retryWhileDatabaseDown(() => closed.query('select 1'))).rejects.toThrow(
      'The database is closed.',
    );
  });
});

test('a PostgreSQL that is away is told with what to do', async () => {
  const url = 'postgres://nobody@127.0.0.1:9/none';
  await expect(openDatabase({ kind: 'postgres', url })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    reason: expect.stringContaining('ECONNREFUSED'),
    help: expect.stringContaining('DATABASE_URL'),
  });
});
