import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { EVERY_ENGINE, POSTGRES, type TestLocation } from '../../support/databases.ts';

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

  it('undoes a transaction whose work fails or whose statement is refused, and goes on', async () => {
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

  it('does not hand on a transaction that a failed text of several statements had begun', async () => {
    const text = 'begin; insert into public.kept values (1); insert into public.kept values (1); commit';
    await expect(database.queue.executeSql(text)).rejects.toMatchObject({ code: '23505' });
    const uses = Array.from({ length: 25 }, (_, id) =>
      database.query('insert into public.kept values ($1)', [id]),
    );
    await Promise.all(uses);
    expect(await kept()).toHaveLength(25);
  });

  it('gives times as dates in UTC and 64-bit integers as numbers', async () => {
    const [row] = await database.query(
      `select '2026-03-02T10:00:00+02:00'::timestamptz as at, 9007199254740991::bigint as large, count(*) as none
       from public.kept`,
    );
    expect(row).toEqual({ at: new Date('2026-03-02T08:00:00Z'), large: Number.MAX_SAFE_INTEGER, none: 0 });
  });
});

describe.each(POSTGRES)('connections on $engine', ({ create }) => {
  it('that the server ends are replaced at the next query', async () => {
    const place = await create();
    const database = await openDatabase(place.location);
    await database.query('select 1');
    const ended = database.query('select pg_terminate_backend(pg_backend_pid())');
    await expect(ended).rejects.toMatchObject({ code: '57P01' });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await database.close();
    await place.remove();
  });
});

test('a PostgreSQL that is away is told with what to do', async () => {
  const url = 'postgres://nobody@127.0.0.1:9/none';
  await expect(openDatabase({ kind: 'postgres', url })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/^The database cannot be reached: .*ECONNREFUSED/),
    help: expect.stringContaining('DATABASE_URL'),
  });
});
