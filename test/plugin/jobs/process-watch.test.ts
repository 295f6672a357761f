/** Who is taken for dead, and what becomes of the work in its hands. */
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { DatabaseAwayError } from '../../../src/core/base/errors.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import type { Database } from '../../../src/core/database/database.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { type ProcessWatch, watchProcesses } from '../../../src/plugin/jobs/process-watch.ts';
import { claimAction, insertAction } from '../../../src/plugin/store/tables/retry/actions.ts';
import {
  claimDirty,
  type OutboxRow,
  releaseClaims,
  renewClaims,
} from '../../../src/plugin/store/tables/sync/outbox.ts';
import {
  EVERY_ENGINE,
  onPostgres,
  openTestDatabase,
  type TestDatabase,
} from '../../support/database/databases.ts';
import { upsertSubscription } from '../../support/database/mirror-rows.ts';
import { eventually } from '../../support/eventually.ts';

const START = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const ACTION = '0b7e3c1e-0000-4000-8000-000000000001';
const LONG = { minutes: 5 };

describe.each(EVERY_ENGINE)('the watch over processes on $engine', (engine) => {
  let test: TestDatabase;
  let clock: ReturnType<typeof createSimulatedClock>;
  let deaths: number[][];
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  beforeEach(async () => {
    await test.clear();
    clock = createSimulatedClock(START);
    deaths = [];
  });
  afterAll(() => test.close());

  const watch = (database: Database = test.database): Promise<ProcessWatch> =>
    watchProcesses({
      database,
      clock,
      logger: silentLogger,
      onDeath: async (ids) => {
        deaths.push([...ids]);
      },
    });
  const pass = (seconds: number) => clock.set(clock.now().plus({ seconds }));

  async function claimBoth(by: number): Promise<void> {
    const now = clock.now();
    await insertAction(test.database, {
      id: ACTION,
      account: 'own',
      cause: 'instruction',
      reference: '1',
      kind: 'pay',
      invoiceId: 'in_1',
      customerId: 'cus_1',
      subscriptionId: undefined,
      requestId: undefined,
      paymentMethod: undefined,
      dueAt: now,
      createdAt: now,
    });
    await upsertSubscription(test.database, {
      account: 'own',
      id: 'sub_1',
      customerId: 'cus_1',
      status: 'active',
      message: { id: 'sub_1' },
      version: now,
      versionSource: 'event',
    });
    expect(await takeAction(by)).toBe(true);
    expect(await takeRows(by)).toHaveLength(1);
  }
  const takeAction = async (by: number) => {
    const now = clock.now();
    return (await claimAction(test.database, ACTION, { now, until: now.plus(LONG), by })) !== undefined;
  };
  const takeRows = (by: number): Promise<OutboxRow[]> => {
    const now = clock.now();
    const claim = { account: 'own', now, until: now.plus(LONG), by, limit: 10 };
    return claimDirty(test.database, 'subscriptions', claim);
  };

  it('the watch over processes frees what a silently dead process had claimed, and reports it once', async () => {
    const dead = 4711;
    await test.database.query(`insert into payment_retry.processes (id, started_at) values ($1, $2)`, [
      dead,
      START.toISO(),
    ]);
    await claimBoth(dead);
    const mine = await watch();
    await mine.look();
    await pass(6);
    await mine.look();
    expect(deaths).toEqual([[dead]]);
    expect(await takeAction(mine.processId)).toBe(true);
    expect(await takeRows(mine.processId)).toHaveLength(1);
    await mine.look();
    expect(deaths).toHaveLength(1);
    await mine.stop();
  });

  it('the watch over processes leaves no trace of a process that stopped with its work done', async () => {
    const mine = await watch();
    await mine.stop();
    const left = await test.database.query('select id from payment_retry.processes');
    expect(left).toEqual([]);
  });

  it('the watch over processes keeps a process that stopped in the middle of an action for the others to free', async () => {
    const mine = await watch();
    await claimBoth(mine.processId);
    await mine.stop();
    const left = await test.database.query('select id from payment_retry.processes');
    expect(left).toEqual([{ id: mine.processId }]);
  });

  it('the watch over processes registers a process again that was taken for dead', async () => {
    const mine = await watch();
    await test.database.query('delete from payment_retry.processes');
    await mine.look();
    expect(await test.database.query('select id from payment_retry.processes')).toEqual([
      { id: mine.processId },
    ]);
    await mine.stop();
  });

  it('the watch over processes lets a run renew and release only what is still its own', async () => {
    await claimBoth(1);
    await test.database.query('update payment_retry.subscriptions set claimed_until = null');
    const [mine] = await takeRows(1);
    if (!mine) throw new Error('There is a row.');
    const claim = (minutes: number) => {
      const now = clock.now();
      return { account: 'own', now, until: now.plus({ minutes }), by: 1 };
    };
    const [renewed] = await renewClaims(test.database, 'subscriptions', [mine], claim(9));
    if (!renewed) throw new Error('It was its own.');
    // With the claim of before, as a run that was overtaken would.
    expect(await renewClaims(test.database, 'subscriptions', [mine], claim(7))).toEqual([]);
    await releaseClaims(test.database, 'subscriptions', 'own', [mine]);
    expect(await takeRows(2)).toEqual([]);
    await releaseClaims(test.database, 'subscriptions', 'own', [renewed]);
    expect(await takeRows(2)).toHaveLength(1);
  });
});

onPostgres('processes that see each other on postgres', (engine) => {
  let test: TestDatabase;
  let other: Database;
  beforeAll(async () => {
    test = await openTestDatabase(engine);
    other = await openDatabase(test.location);
  });
  afterAll(async () => {
    await other?.close();
    await test?.close();
  });

  it('a process that is missing after an outage has half a minute to come back, as all begin anew together', async () => {
    const clock = createSimulatedClock(START);
    const deaths: (readonly number[])[] = [];
    let isAway = false;
    const database: Database = {
      ...test.database,
      query: (text, params) =>
        isAway ? Promise.reject(new DatabaseAwayError(new Error('gone'))) : test.database.query(text, params),
    };
    const onDeath = async (ids: readonly number[]) => void deaths.push(ids);
    const mine = await watchProcesses({ database, clock, logger: silentLogger, onDeath });
    const pass = async (seconds: number) => {
      await clock.set(clock.now().plus({ seconds }));
      await mine.look();
    };
    isAway = true;
    await expect(mine.look()).rejects.toBeInstanceOf(DatabaseAwayError);
    isAway = false;
    await test.database.query(`insert into payment_retry.processes (id, started_at) values (4711, $1)`, [
      START,
    ]);
    await mine.look();
    await pass(20);
    expect(deaths).toEqual([]);
    await pass(11);
    expect(deaths).toEqual([[4711]]);
    await mine.stop();
  });

  it('processes never take a living one for dead, be it silent for however long or cut off for a moment', async () => {
    const clock = createSimulatedClock(START);
    const deaths: (readonly number[])[] = [];
    const deps = {
      clock,
      logger: silentLogger,
      onDeath: async (ids: readonly number[]) => {
        deaths.push(ids);
      },
    };
    const silent = await watchProcesses({ ...deps, database: other });
    const mine = await watchProcesses({ ...deps, database: test.database });
    await clock.set(START.plus({ hours: 1 }));
    await mine.look();
    expect(deaths).toEqual([]);

    const session = `application_name = 'payment-retry-presence' and datname = current_database()`;
    await test.database.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${session}`);
    await mine.look();
    await eventually(async () => {
      const held = await test.database.query(
        `select 1 as one from pg_locks where locktype = 'advisory' and objsubid = 2 and granted
         and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(held).toHaveLength(2);
    });
    await clock.set(START.plus({ hours: 2 }));
    await mine.look();
    await mine.look();
    expect(deaths).toEqual([]);
    const left = await test.database.query(
      'select id, missing_since as missing from payment_retry.processes order by id',
    );
    expect(left).toEqual([silent, mine].map(({ processId }) => ({ id: processId, missing: null })));
    await silent.stop();
    await mine.stop();
  });
});
