/** Reading everything that Stripe has: nothing skipped, nothing sent twice, whatever ends the process and when. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import { countNews } from '../../../../src/plugin/store/reports/backfill-report.ts';
import { finishRun, insertRun } from '../../../../src/plugin/store/tables/backfill/backfill-runs.ts';
import { markDelivered } from '../../../../src/plugin/store/tables/sync/outbox.ts';
import { listSubscriptions } from '../../../../src/plugin/store/tables/sync/subscriptions.ts';
import { createVerifier } from '../../../../src/plugin/sync/backfill/backfill-request.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { upsertSubscription } from '../../../support/database/mirror-rows.ts';
import { runs } from '../../../support/runner/full-run.ts';
import {
  ACCOUNT,
  type BackfillBench,
  createBackfillBench,
  makeSubscription,
  throttled,
} from './backfill-fixture.ts';

const START = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const created = (daysAgo: number) => Math.floor(START.minus({ days: daysAgo }).toSeconds());
let store: TestDatabase;
beforeAll(async () => {
  store = await openTestDatabase(MAIN);
});
afterAll(() => store?.close());
afterEach(() => store.clear());

function fill(bench: BackfillBench, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const id = `sub_${String(index).padStart(4, '0')}`;
    bench.subscriptions.set(id, makeSubscription(id, created(index % 700)));
  }
}

const stored = async () => (await listSubscriptions(store.database, ACCOUNT)).map(({ id }) => id);

async function deliverAll(): Promise<void> {
  const rows = await listSubscriptions(store.database, ACCOUNT);
  const sent = rows.map(({ id, version }) => ({
    key: id,
    message: {},
    version,
    claimedUntil: DateTime.utc(),
    oddAnswers: 0,
  }));
  await markDelivered(store.database, 'subscriptions', ACCOUNT, sent, 'req_1');
}

const dirty = async () =>
  (await listSubscriptions(store.database, ACCOUNT))
    .filter(({ version, deliveredVersion }) => version.toMillis() !== deliveredVersion?.toMillis())
    .map(({ id }) => id);

class Killed extends Error {}

/** Where the process dies, call by call: before Stripe is asked, or once it has answered. */
interface Story {
  /** Seconds before the start at which each subscription was made; few, so that many share one. */
  readonly ages: readonly number[];
  readonly pages: readonly number[];
  readonly deaths: readonly { readonly afterCalls: number; readonly isAnswered: boolean }[];
}

const story: fc.Arbitrary<Story> = fc.record({
  ages: fc.array(
    fc.oneof(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 60_000_000 }), fc.constant(86_400)),
    { minLength: 1, maxLength: 60 },
  ),
  pages: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
  deaths: fc.array(fc.record({ afterCalls: fc.integer({ min: 0, max: 14 }), isAnswered: fc.boolean() }), {
    maxLength: 5,
  }),
});

test('a run that is killed anywhere, again and again, reads every object and counts each once', async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ ages, pages, deaths }) => {
      await store.clear();
      const bench = createBackfillBench(store, START);
      ages.forEach((age, index) => {
        const id = `sub_${String(index).padStart(4, '0')}`;
        bench.subscriptions.set(id, makeSubscription(id, Math.floor(START.toSeconds()) - age));
      });
      let calls = 0;
      bench.hooks.pageSize = () => pages[calls % pages.length] ?? 1;
      for (const { afterCalls, isAnswered } of deaths) {
        const end = calls + afterCalls;
        const die = () => {
          if (calls > end) throw new Killed();
        };
        bench.hooks.onList = () => {
          calls += 1;
          if (!isAnswered) die();
        };
        bench.hooks.onListed = isAnswered ? die : () => {};
        await bench.run().catch((error) => {
          if (!(error instanceof Killed)) throw error;
        });
        if ((await bench.report())?.finishedAt) break;
      }
      bench.hooks.onList = () => {
        calls += 1;
      };
      bench.hooks.onListed = () => {};
      if (!(await bench.report())?.finishedAt) await bench.run();
      expect(await stored()).toEqual([...bench.subscriptions.keys()]);
      const all = bench.subscriptions.size;
      const report = await bench.report();
      expect(report).toMatchObject({ reason: null, kinds: [{ kind: 'subscriptions' }, {}] });
      expect(report?.finishedAt).not.toBeNull();
      expect(report?.kinds[0]).toMatchObject({ read: all, added: all });
    }),
    { numRuns: runs(60) },
  );
});

test('counts balance: what was read is told, equal, silent or waiting', async () => {
  const bench = createBackfillBench(store, START);
  fill(bench, 250);
  for (const id of ['sub_0001', 'sub_0002'])
    bench.subscriptions.set(id, makeSubscription(id, created(3), { status: 'incomplete' }));
  await bench.run();
  const report = await bench.report();
  expect(report?.kinds[0]).toEqual({
    kind: 'subscriptions',
    read: 250,
    added: 250,
    repaired: 0,
    equal: 0,
    silent: 2,
    skipped: 0,
  });
  expect(await countNews(store.database, report?.run ?? 0, 'subscriptions')).toEqual({
    forwarded: 0,
    refused: 0,
    waiting: 248,
  });
  await deliverAll();
  expect(await countNews(store.database, report?.run ?? 0, 'subscriptions')).toMatchObject({
    forwarded: 248,
  });
});

test('what is stored and equal is neither written nor sent again', async () => {
  const bench = createBackfillBench(store, START);
  fill(bench, 120);
  await bench.run();
  await deliverAll();
  const before = await listSubscriptions(store.database, ACCOUNT);
  await bench.clock.set(START.plus({ days: 40 }));
  bench.subscriptions.set(
    'sub_0007',
    makeSubscription('sub_0007', created(7), {
      status: 'canceled',
      ended_at: created(1),
      canceled_at: created(1),
    }),
  );
  bench.subscriptions.set('sub_0008', makeSubscription('sub_0008', created(8), { status: 'past_due' }));
  await bench.run('reconciliation');
  const after = await listSubscriptions(store.database, ACCOUNT);
  const changed = after.filter(
    ({ id, version }) => !before.some((one) => one.id === id && +one.version === +version),
  );
  expect(changed.map(({ id }) => id)).toEqual(['sub_0007', 'sub_0008']);
  expect(await dirty()).toEqual(['sub_0007']);
  expect((await bench.report())?.kinds[0]).toMatchObject({ read: 120, repaired: 2, equal: 118, silent: 1 });
});

describe('an event that arrives while a page is on its way', () => {
  const tell = async (at: DateTime, status: string) => {
    const row = {
      account: ACCOUNT,
      id: 'sub_0000',
      customerId: 'cus_1Ada',
      status,
      message: { status },
      version: at,
      versionSource: 'event' as const,
    };
    await upsertSubscription(store.database, row);
  };
  const message = async () => {
    const [row] = await listSubscriptions(store.database, ACCOUNT);
    return row?.message;
  };

  test.each([
    ['dated within the same second, before the request', -300],
    ['dated after the request', 2_000],
  ])(
    'an event that arrives while a page is on its way, %s, has the object read again, and that is what stays',
    async (_name, leadMs) => {
      const bench = createBackfillBench(store, START.plus(500));
      fill(bench, 1);
      bench.hooks.onListed = async () => {
        await tell(START.plus(500 + leadMs), 'past_due');
        bench.subscriptions.set(
          'sub_0000',
          makeSubscription('sub_0000', created(0), { metadata: { business_entity: 'Newer' } }),
        );
      };
      await bench.run();
      expect(bench.readAlone).toEqual(['sub_0000']);
      expect(await message()).toMatchObject({ businessEntity: 'Newer' });
      expect((await bench.report())?.kinds[0]).toMatchObject({ read: 1, repaired: 1 });
    },
  );

  test('an event from well before the request of a page is replaced without another read', async () => {
    const bench = createBackfillBench(store, START);
    fill(bench, 1);
    await tell(START.minus({ minutes: 6 }), 'past_due');
    await bench.run();
    expect(bench.readAlone).toEqual([]);
    expect(await message()).toMatchObject({ state: 'SUBSCRIPTION_STATE_ACTIVE' });
  });

  test('a stored version in the future, from a clock that was moved back, is repaired and never goes back', async () => {
    const bench = createBackfillBench(store, START);
    fill(bench, 1);
    const future = START.plus({ days: 3 });
    await tell(future, 'past_due');
    await bench.run('reconciliation');
    const [row] = await listSubscriptions(store.database, ACCOUNT);
    expect(row?.message).toMatchObject({ state: 'SUBSCRIPTION_STATE_ACTIVE' });
    expect(row?.version.toMillis()).toBeGreaterThan(future.toMillis());
  });
});

test('Stripe throttling makes the run incomplete with growing pauses, until it goes on where it stood', async () => {
  const bench = createBackfillBench(store, START);
  fill(bench, 300);
  let isThrottled = false;
  let calls = 0;
  bench.hooks.onList = () => {
    calls += 1;
    if (calls > 2 || isThrottled) throw throttled();
  };
  await bench.run();
  isThrottled = true;
  const pauses: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    await bench.run();
    pauses.push(bench.jobs[0]?.startAfter?.diff(bench.clock.now()).as('seconds') ?? 0);
  }
  expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
  expect(pauses.at(-1)).toBeGreaterThanOrEqual(6);
  expect(await bench.report()).toMatchObject({
    finishedAt: null,
    failures: 5,
    reason: { code: 'stripe_answered', status: 429, message: 'Too fast.' },
  });
  expect(bench.lines.some((line) => line.includes('is incomplete'))).toBe(true);
  expect((await stored()).length).toBeGreaterThan(0);

  let pages = 0;
  bench.hooks.onList = () => {
    pages += 1;
    if (pages > 1) throw new Killed();
  };
  await expect(bench.run()).rejects.toThrow(Killed);
  expect(await bench.report()).toMatchObject({ finishedAt: null, failures: 0, reason: null });

  bench.hooks.onList = () => {};
  await bench.run();
  expect(await bench.report()).toMatchObject({
    failures: 0,
    reason: null,
    kinds: [{ read: 300, added: 300 }, {}],
  });
});

test('a key that may not read is the reason why a run is incomplete', async () => {
  const bench = createBackfillBench(store, START);
  bench.hooks.onList = () => {
    throw new Stripe.errors.StripePermissionError({
      message: 'No.',
      statusCode: 403,
      type: 'invalid_request_error',
    });
  };
  await bench.run();
  const report = await bench.report();
  expect(report?.finishedAt).toBeNull();
  expect(report?.reason).toEqual({ code: 'stripe_refuses_key', status: 403, message: 'No.' });
});

test('what a list leaves out of a subscription is read one by one', async () => {
  const bench = createBackfillBench(store, START);
  fill(bench, 3);
  const whole = makeSubscription('sub_0001', created(1));
  const cut = { ...whole, items: { ...whole.items, has_more: true } };
  bench.subscriptions.set('sub_0001', cut);
  bench.hooks.onListed = () => {
    bench.subscriptions.set('sub_0001', whole);
  };
  await bench.run();
  expect(bench.readAlone).toEqual(['sub_0001']);
  expect(await dirty()).toEqual(['sub_0000', 'sub_0001', 'sub_0002']);
});

test('a scheduled reconciliation waits for the first backfill', async () => {
  const bench = createBackfillBench(store, START);
  fill(bench, 2);
  await bench.runScheduled();
  expect(bench.requests).toEqual([]);
  await bench.run();
  await bench.clock.set(START.plus({ days: 7 }));
  await bench.runScheduled();
  expect((await bench.report())?.kind).toBe('reconciliation');
});

test('a job that outlasts its run, or that asked for what was done meanwhile, begins no other', async () => {
  const bench = createBackfillBench(store, START);
  fill(bench, 2);
  const askedAt = START.toISO() ?? '';
  await bench.clock.set(START.plus({ minutes: 1 }));
  await bench.run();
  const first = await bench.report();
  await bench.clock.set(START.plus({ minutes: 2 }));
  await bench.handle({ run: first?.run ?? 0 });
  await bench.handle({ askedAt });
  await bench.runScheduled();
  expect((await bench.report())?.run).toBe(first?.run);
  await bench.handle({ askedAt: START.plus({ minutes: 2 }).toISO() ?? '' });
  expect((await bench.report())?.run).not.toBe(first?.run);
});

const NIGHT = DateTime.fromISO('2026-03-02T01:41:00Z', { zone: 'utc' });

async function recordFinished(kind: 'backfill' | 'verification', at: DateTime): Promise<void> {
  const run = { account: ACCOUNT, kind, months: 2, perSecond: 5, startedAt: at, ranges: [] };
  const made = await insertRun(store.database, run);
  await finishRun(store.database, made?.id ?? 0, at);
}

async function askAtNight(verifyDays: number): Promise<string[]> {
  const asked: string[] = [];
  const deps = { database: store.database, clock: createSimulatedClock(NIGHT), config: { verifyDays } };
  const verifier = createVerifier({ ...deps, enqueue: async (name) => void asked.push(name) });
  await verifier.handle({ account: ACCOUNT });
  return asked;
}

test.each([
  ['none was made', undefined, 7, true],
  ['the last is VERIFY_DAYS old, but for how long it took', { days: 6, hours: 13 }, 7, true],
  ['the last is younger', { days: 6, hours: 11 }, 7, false],
  ['VERIFY_DAYS is 0', undefined, 0, false],
])('a verification is asked for by time where %s: %j, %d', async (_what, before, verifyDays, isAsked) => {
  await recordFinished('backfill', NIGHT.minus({ days: 90 }));
  if (before !== undefined) await recordFinished('verification', NIGHT.minus(before));
  expect(await askAtNight(verifyDays)).toEqual(isAsked ? ['verify'] : []);
});

test('no verification is asked for by time where nothing was ever read: all would differ', async () => {
  expect(await askAtNight(7)).toEqual([]);
});
