/** Reading Stripe's list of events: windows, pages, the cursor, and what happens when it ends too early. */
import type { DateTime, DurationLike } from 'luxon';
import { UpstreamError } from '../../../../src/core/base/errors.ts';
import type { EventRange } from '../../../../src/plugin/clients/reads/stripe-events.ts';
import { createStripeClient } from '../../../../src/plugin/clients/stripe-client.ts';
import { OWN_ACCOUNT } from '../../../../src/plugin/settings/account.ts';
import { readWorkStatus } from '../../../../src/plugin/store/reports/work-status.ts';
import { listAudit } from '../../../../src/plugin/store/tables/audit.ts';
import { eventsCursor } from '../../../../src/plugin/store/tables/sync/cursors.ts';
import { finishEvents, recordEvents } from '../../../../src/plugin/store/tables/sync/events.ts';
import { createCatchUp } from '../../../../src/plugin/sync/catch-up/catch-up.ts';
import { EVENT_HANDLERS } from '../../../../src/plugin/sync/events/handlers.ts';
import { accepts } from '../../../../src/workbench/sandbox/payment-behaviour.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { captureLog } from '../../../support/log-lines.ts';
import { startTestSandbox, type TestSandbox } from '../../../workbench/sandbox/start-test-sandbox.ts';

const account = OWN_ACCOUNT;

let store: TestDatabase;
let stripe: TestSandbox;
beforeAll(async () => {
  store = await openTestDatabase(MAIN);
});
afterAll(() => store?.close());
beforeEach(async () => {
  stripe = await startTestSandbox();
});
afterEach(async () => {
  await stripe.stop();
  await store.clear();
});

/** A catch-up with a look at what it asks for and gives jobs to. */
function createBench() {
  const { sandbox, clock } = stripe;
  const client = createStripeClient({
    stripe: { secretKey: sandbox.secretKey, apiBase: new URL(sandbox.url) },
  });
  const { logger, lines } = captureLog();
  const ranges: EventRange[] = [];
  const jobs: object[] = [];
  const hooks = { onRange: () => {}, onJobs: () => {} };
  const { handle } = createCatchUp({
    database: store.database,
    clock,
    logger,
    enqueue: async (_name, added) => {
      jobs.push(...added.map(({ data }) => data));
      hooks.onJobs();
    },
    stripe: {
      listThinEvents: client.listThinEvents,
      listEvents: (of, range) => {
        ranges.push(range);
        hooks.onRange();
        return client.listEvents(of, range);
      },
    },
  });
  const run = () => handle({ account });
  return { run, client, ranges, jobs, hooks, lines };
}

function startSubscription(): string {
  const { sandbox } = stripe;
  const { id: customer } = sandbox.createCustomer({ paymentMethod: accepts() });
  const { id: price } = sandbox.createPrice();
  return sandbox.importSubscription({ customer, items: [{ price }] }).id;
}

let changes = 0;

/** So many events, `gap` apart. */
async function change(id: string, times: number, gap: DurationLike): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    stripe.sandbox.updateSubscription(id, { metadata: { change: String(++changes) } });
    await pass(gap);
  }
}

const pass = (duration: DurationLike) => stripe.clock.set(stripe.clock.now().plus(duration));
const cursor = () => eventsCursor.find(store.database, account);
const width = ({ from, to }: EventRange) => to.diff(from).as('minutes');

/** What Stripe has of the types we handle, since an instant, oldest first. */
function listed(since: DateTime): string[] {
  const { events } = stripe.sandbox.state;
  return [...events.newestFirst()]
    .filter(({ type, created }) => type in EVENT_HANDLERS && created >= since.toSeconds())
    .map(({ id }) => id)
    .reverse();
}

async function recorded(): Promise<string[]> {
  const rows = await store.database.query<{ id: string }>('select id from payment_retry.events order by id');
  return rows.map(({ id }) => id);
}

test('the first run sets the cursor to now and asks Stripe for nothing', async () => {
  const { run, ranges } = createBench();
  await change(startSubscription(), 3, { minutes: 1 });
  await run();
  expect(await cursor()).toEqual(stripe.clock.now());
  expect(ranges).toEqual([]);
});

test('an event that the database refuses holds up no other of its page, and is kept as a dead one', async () => {
  const { run, lines } = createBench();
  const id = startSubscription();
  await run();
  const since = stripe.clock.now();
  await change(id, 20, { seconds: 10 });
  const wanted = listed(since);
  const refused = wanted[7] ?? '';
  await store.database.exec(
    `alter table payment_retry.events add constraint refusal check (id <> '${refused}' or length(payload) < 200)`,
  );
  try {
    await run();
    await run();
  } finally {
    await store.database.exec('alter table payment_retry.events drop constraint refusal');
  }
  expect(await recorded()).toEqual(expect.arrayContaining(wanted));
  expect(await cursor()).toEqual(stripe.clock.now());
  const { deadEvents } = await readWorkStatus(store.database, stripe.clock.now());
  expect(deadEvents).toMatchObject([{ id: refused, error: expect.stringContaining('refusal') }]);
  expect(lines.filter((line) => line.includes(refused)).length).toBeGreaterThan(0);
});

test('hundreds of events in one hour take several pages; none is missed, and each page is taken', async () => {
  const { run, jobs } = createBench();
  const id = startSubscription();
  await run();
  const since = stripe.clock.now();
  await change(id, 350, { seconds: 10 });
  stripe.sandbox.createCustomer();
  await run();
  await run();
  const wanted = listed(since);
  expect(wanted.length).toBeGreaterThanOrEqual(350);
  // Each page goes on where the one before it ended: four pages of one list of types, the other list, and the overlap of the second run.
  expect(stripe.sandbox.state.apiCalls.length).toBeLessThanOrEqual(9);
  expect(await recorded()).toEqual([...wanted].sort());
  expect(jobs).toEqual(Array.from({ length: 5 }, () => ({ account })));
  expect(await cursor()).toEqual(stripe.clock.now());
});

/** A webhook that was processed. */
async function deliver(type: string): Promise<void> {
  const now = stripe.clock.now();
  const event = { account, id: `evt_${type}`, type, createdAt: now, receivedAt: now, payload: '{}' };
  await recordEvents(store.database, [event]);
  await finishEvents(store.database, account, [{ id: event.id, results: [{ code: 'mirrored' }] }], now);
}

test('the list is read in the form of the last webhooks', async () => {
  const { run, ranges } = createBench();
  const id = startSubscription();
  await run();
  await deliver('v1.invoice.paid');
  await run();
  await change(id, 3, { minutes: 20 });
  await run();
  expect(ranges).toEqual([]);
  expect((await recorded()).length).toBeGreaterThan(3);
  await deliver('invoice.paid');
  await run();
  expect(ranges.length).toBeGreaterThan(0);
});

test('an installation of thin events is caught up with from their own list, and holds nothing of the objects', async () => {
  const { run } = createBench();
  const id = startSubscription();
  await run();
  const since = stripe.clock.now();
  await deliver('v1.invoice.paid');
  await change(id, 101, { seconds: 10 });
  await run();
  const rows = await store.database.query<{ type: string; payload: string }>(
    `select type, payload from payment_retry.events where created_at >= $1 and type = 'v1.customer.subscription.updated'`,
    [since.toISO()],
  );
  const told = [...stripe.sandbox.state.events.newestFirst()].filter(
    (event) => event.type.endsWith('subscription.updated') && event.created >= since.toSeconds(),
  );
  expect(rows).toHaveLength(told.length);
  expect(told.length).toBeGreaterThanOrEqual(101);
  for (const { type, payload } of rows) {
    expect(type).toBe('v1.customer.subscription.updated');
    expect(Object.keys(JSON.parse(payload))).not.toContain('changes');
    expect(JSON.parse(payload).related_object.id).toBe(id);
  }
});

describe('webhooks that stay away', () => {
  const troubles = async () => {
    const { concerns, missedWebhooks } = await readWorkStatus(store.database, stripe.clock.now());
    return [concerns.includes('missedWebhooks'), missedWebhooks.map(({ events }) => events)];
  };
  /** As the webhook of the latest event would have recorded it. */
  const arrive = async () => {
    const now = stripe.clock.now();
    const [event] = stripe.sandbox.state.events.newestFirst();
    if (!event) throw new Error('Nothing happened.');
    const { id, type } = event;
    await recordEvents(store.database, [
      { account, id, type, createdAt: now, receivedAt: now, payload: JSON.stringify(event) },
    ]);
  };

  test('are noticed when Stripe’s list alone has brought events for half an hour, until one arrives', async () => {
    const { run } = createBench();
    // The subscription's own event is the first.
    const id = startSubscription();
    await run();
    for (let reading = 0; reading < 7; reading += 1) {
      expect(await troubles()).toEqual([false, []]);
      await change(id, 1, { minutes: 5 });
      await run();
    }
    expect(await troubles()).toEqual([true, [8]]);
    await change(id, 1, { seconds: 1 });
    await arrive();
    await pass({ minutes: 5 });
    await run();
    expect(await troubles()).toEqual([false, []]);
  });

  test('are not what a downtime leaves behind, nor an event whose webhook is on its way', async () => {
    const { run } = createBench();
    const id = startSubscription();
    await run();
    await change(id, 12, { minutes: 10 });
    await run();
    for (let reading = 0; reading < 8; reading += 1) {
      await pass({ minutes: 5 });
      await run();
    }
    expect(await troubles()).toEqual([false, []]);
    for (let reading = 0; reading < 8; reading += 1) {
      await change(id, 1, { minutes: 1 });
      await run();
      await arrive();
      await pass({ minutes: 4 });
    }
    expect(await troubles()).toEqual([false, []]);
  });
});

test('an event that Stripe lists minutes late is found by the overlap', async () => {
  const { run } = createBench();
  const id = startSubscription();
  await pass({ minutes: 20 });
  const since = stripe.clock.now();
  await change(id, 1, { minutes: 9 });
  await run();
  expect(await recorded()).toEqual([]);
  await run();
  expect(await recorded()).toEqual(listed(since));
});

test('windows narrow where much happens, and nothing between them is missed', async () => {
  const { run, ranges } = createBench();
  const id = startSubscription();
  await run();
  const since = stripe.clock.now();
  await change(id, 1_010, { seconds: 2 });
  await change(id, 3, { hours: 1 });
  await run();
  expect(ranges.slice(0, 2).map(width)).toEqual([60, 30]);
  expect(await recorded()).toEqual(listed(since).sort());
});

test.each(['rate_limit', 'server_error'] as const)(
  'a run cut off between two pages by %s fails, keeps the cursor and is made good',
  async (fault) => {
    const { run, jobs, hooks } = createBench();
    const id = startSubscription();
    await run();
    const since = stripe.clock.now();
    await change(id, 201, { seconds: 10 });
    hooks.onJobs = () => stripe.sandbox.faults.next('GET', '/events', fault, 3);
    await expect(run()).rejects.toThrow(UpstreamError);
    expect(await cursor()).toEqual(since);
    expect(await recorded()).toHaveLength(100);
    expect(jobs).toEqual([{ account }]);
    stripe.sandbox.faults.clear();
    hooks.onJobs = () => {};
    await run();
    expect(await recorded()).toEqual(listed(since).sort());
    expect(jobs).toEqual([{ account }, { account }, { account }]);
  },
);

test('a run cut off between two windows goes on after the last whole one', async () => {
  const { run, ranges, hooks } = createBench();
  const id = startSubscription();
  await run();
  const since = stripe.clock.now();
  await change(id, 20, { hours: 1 });
  hooks.onRange = () => {
    if (ranges.length === 3) stripe.sandbox.faults.next('GET', '/events', 'rate_limit');
  };
  await expect(run()).rejects.toThrow(/incomplete: Stripe broke off after 2026-11-01T11:50:00/);
  expect(await cursor()).toEqual(since.plus({ hours: 2, minutes: 50 }));

  ranges.length = 0;
  hooks.onRange = () => {};
  await run();
  expect(ranges[0]?.from).toEqual(since.plus({ hours: 2, minutes: 40 }));
  expect(await recorded()).toEqual(listed(since).sort());
});

test('in 26 quiet days windows widen up to a day, and a warning names the limit of 30', async () => {
  const { run, ranges, lines } = createBench();
  const id = startSubscription();
  await run();
  const since = stripe.clock.now();
  await change(id, 26, { days: 1 });
  await run();
  expect(ranges.slice(0, 6).map(width)).toEqual([60, 120, 240, 480, 960, 1440]);
  expect(ranges.length).toBeLessThan(36);
  expect(lines.filter((line) => line.includes('"level":40'))).toEqual([
    expect.stringContaining('Stripe keeps events for 30 days only'),
  ]);
  expect(await recorded()).toEqual(listed(since).sort());
  expect(await listAudit(store.database, {})).toEqual([]);
});

const reconciliations = (jobs: readonly object[]) =>
  jobs.filter((data) => 'kind' in data && data.kind === 'reconciliation');

test('after 31 days the lost day is told and recorded once, and the rest is caught up', async () => {
  const { run, lines, jobs } = createBench();
  const id = startSubscription();
  await run();
  const since = stripe.clock.now();
  await change(id, 31, { days: 1 });
  const kept = stripe.clock.now().minus({ days: 30 });
  await run();
  await run();
  const gaps = await listAudit(store.database, {});
  expect(gaps.map(({ kind, detail }) => ({ kind, detail }))).toEqual([
    { kind: 'catch_up.gap', detail: { from: since.toISO(), to: kept.toISO() } },
  ]);
  expect(lines.filter((line) => line.includes('"level":50'))).toEqual([
    expect.stringContaining('a reconciliation (backfill) is needed'),
  ]);
  expect(reconciliations(jobs)).toHaveLength(1);
  expect(await recorded()).toEqual(listed(kept).sort());
  expect(await cursor()).toEqual(stripe.clock.now());
});

test('a clock that was far ahead and is moved back hides nothing, and is followed by a reconciliation', async () => {
  const { run, jobs } = createBench();
  const id = startSubscription();
  await run();
  const since = stripe.clock.now();
  await change(id, 1, { minutes: 1 });
  await run();
  await pass({ days: 2 });
  await run();
  expect(reconciliations(jobs)).toEqual([]);
  await stripe.clock.set(since.plus({ minutes: 30 }));
  await change(id, 3, { hours: 1 });
  await run();
  await run();
  expect(reconciliations(jobs)).toHaveLength(1);
  expect(await recorded()).toEqual(listed(since).sort());
  expect(await cursor()).toEqual(stripe.clock.now());
});

test('more types than one request may name are asked for in several', async () => {
  const { client } = createBench();
  const since = stripe.clock.now();
  await change(startSubscription(), 2, { minutes: 1 });
  const others = Array.from({ length: 24 }, (_, index) => `made.up.${index}`);
  const found: string[] = [];
  const types = [...others, 'customer.subscription.updated'];
  for await (const page of client.listEvents(account, { from: since, to: stripe.clock.now(), types }))
    found.push(...page.map(({ type }) => type));
  expect(found).toEqual(['customer.subscription.updated', 'customer.subscription.updated']);
});
