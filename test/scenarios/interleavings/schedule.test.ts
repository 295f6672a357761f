import pg from 'pg';
import { silentLogger } from '../../../src/core/base/logger.ts';
import type { Database, Queryable } from '../../../src/core/database/database.ts';
import { withDeadline } from '../../../src/core/web/bounded-answer.ts';
import { onPostgres, type TestLocation } from '../../support/database/databases.ts';
import { createDice } from '../chaos/dice.ts';
import { listBlockers, takeChance } from './processes.ts';
import { createSchedule, type Schedule } from './schedule.ts';
import { standBefore } from './transports.ts';

const SEEDS = Array.from({ length: 20 }, (_, index) => index);

async function add(db: Queryable, lock: string): Promise<void> {
  const [row] = await db.query<{ total: number }>(`select total from public.sums ${lock}`);
  await db.query('update public.sums set total = $1', [(row?.total ?? 0) + 1]);
}

test('the deadline of a call that waits for its turn goes by no real time', async () => {
  const dice = createDice(0);
  const schedule = createSchedule(dice, async () => []);
  const release = takeChance(dice.roll, schedule);
  const realTimer = jest.spyOn(globalThis, 'setTimeout');
  const call = { process: 'one', what: 'asks' };
  const ask = () => schedule.pass(call, async () => {});
  await schedule.play([{ ...call, run: () => withDeadline(30_000, ask) }]).finally(release);
  expect(realTimer).not.toHaveBeenCalledWith(expect.anything(), 30_000);
  realTimer.mockRestore();
});

onPostgres('two processes that count on', ({ create }) => {
  let place: TestLocation;
  let observer: pg.Client;
  let current: Schedule;
  const databases: Database[] = [];
  beforeAll(async () => {
    place = await create();
    if (place.location.kind !== 'postgres') throw new Error('It is PostgreSQL.');
    observer = new pg.Client({ connectionString: place.location.url });
    await observer.connect();
    await observer.query('create table public.sums (total integer); insert into public.sums values (0)');
    const pass: Schedule['pass'] = (call, make) => current.pass(call, make);
    current = createSchedule(createDice(0), async () => []);
    for (const name of ['one', 'other'])
      databases.push(await standBefore({ pass }, name).openDatabase(place.location, silentLogger));
  });
  afterAll(async () => {
    for (const database of databases) await database.close();
    await observer?.end();
    await place?.remove();
  });

  async function play(seed: number, work: (database: Database) => Promise<unknown>) {
    await observer.query('update public.sums set total = 0');
    current = createSchedule(createDice(seed), () => listBlockers(observer));
    await current.play(
      databases.map((database, index) => ({ process: `${index}`, what: 'adds', run: () => work(database) })),
    );
    const { rows } = await observer.query<{ total: number }>('select total from public.sums');
    return { total: rows[0]?.total, hash: current.hash(), trace: current.trace };
  }

  it('a sum that is read without a lock is wrong in some orders, each of which comes again from its seed, 100 of 100', async () => {
    const without = (database: Database) => add(database, '');
    const totals = new Map<number, number | undefined>();
    for (const seed of SEEDS) totals.set(seed, (await play(seed, without)).total);
    expect(new Set(totals.values())).toEqual(new Set([1, 2]));
    const failing = SEEDS.find((seed) => totals.get(seed) === 1) ?? 0;
    const { hash } = await play(failing, without);
    for (let again = 0; again < 100; again += 1)
      expect(await play(failing, without)).toMatchObject({ total: 1, hash });
  });

  it('a sum whose row is locked is right in every order, and whoever comes second waits for the lock', async () => {
    const within = (database: Database) => database.transaction((tx) => add(tx, 'for update'));
    const played = [];
    for (const seed of SEEDS) played.push(await play(seed, within));
    expect(new Set(played.map(({ total }) => total))).toEqual(new Set([2]));
    const waits = played.filter(({ trace }) => trace.some((line) => line.endsWith('has its lock')));
    expect(waits.length).toBeGreaterThan(0);
    expect(new Set(played.map(({ hash }) => hash)).size).toBeGreaterThan(3);
  });
});
