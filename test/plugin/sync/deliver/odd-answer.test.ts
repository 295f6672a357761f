/** A success that confirms nothing: the batch waits and goes out again in smaller ones, and no other waits with it. */
import { DateTime, type DurationLike } from 'luxon';
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import { silentLogger } from '../../../../src/core/base/logger.ts';
import { OWN_ACCOUNT } from '../../../../src/plugin/settings/account.ts';
import { loadConfig } from '../../../../src/plugin/settings/config.ts';
import { listOddAnswers } from '../../../../src/plugin/store/tables/sync/outbox.ts';
import { createDeliverer } from '../../../../src/plugin/sync/deliver/deliver.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';

const CONFIG = loadConfig(
  { retryMode: 'advisory', stripeSecretKey: 'sk_test_1', stripeWebhookSecret: 'whsec_1' },
  {},
);

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const BATCH = 200;

let store: TestDatabase;
beforeAll(async () => {
  store = await openTestDatabase(MAIN);
});
beforeEach(() => store.clear());
afterAll(() => store?.close());

/** The oldest comes first, so that a batch at fault is always the first one. */
async function insertDirty(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `sub_${String(index).padStart(4, '0')}`);
  await store.database.query(
    `insert into payment_retry.subscriptions (account, id, customer_id, status, message, version, version_source)
     select $1, id, 'cus_1', 'active', jsonb_build_object('id', id), $2::timestamptz + interval '1 second' * n, 'event'
     from unnest($3::text[]) with ordinality as given (id, n)`,
    [OWN_ACCOUNT, NOW.toISO(), ids],
  );
  return ids;
}

/** Answers oddly to each batch with one of these in it. */
function startDelivery(odd: (id: string) => boolean) {
  const clock = createSimulatedClock(NOW);
  const accepted: string[] = [];
  const sizes: number[] = [];
  const { handle } = createDeliverer({
    database: store.database,
    config: CONFIG,
    serviceOf: () => ({
      can: async () => false,
      ingest: async (_kind, records) => {
        const ids = records.flatMap((record) => ('id' in record ? [String(record.id)] : []));
        sizes.push(ids.length);
        if (ids.some(odd)) return { kind: 'odd', answer: '200 <html>' };
        accepted.push(...ids);
        return { kind: 'accepted', requestId: undefined };
      },
    }),
    clock,
    logger: silentLogger,
    enqueue: async () => {},
    processId: () => 1,
    random: () => 0,
  });
  return {
    accepted,
    sizes,
    runAfter: async (wait: DurationLike) => {
      sizes.length = 0;
      await clock.set(clock.now().plus(wait));
      await handle({ account: OWN_ACCOUNT });
    },
  };
}

const oddRows = () => listOddAnswers(store.database);

test('a batch that is answered oddly is kept, and all others are delivered', async () => {
  const ids = await insertDirty(3 * BATCH);
  const delivery = startDelivery((id) => id === ids[0]);
  await delivery.runAfter({ seconds: 0 });
  expect([...delivery.accepted].sort()).toEqual(ids.slice(BATCH));
  expect(await oddRows()).toEqual([
    { account: OWN_ACCOUNT, kind: 'subscriptions', records: BATCH, answer: '200 <html>' },
  ]);
});

test('it is sent again with growing waits and in ever smaller batches', async () => {
  const ids = await insertDirty(BATCH);
  const delivery = startDelivery((id) => id === ids[0]);
  await delivery.runAfter({ seconds: 0 });
  const seen: number[][] = [];
  for (const minutes of [0.9, 0.2, 1.8, 0.3, 4]) {
    await delivery.runAfter({ minutes });
    seen.push([...delivery.sizes]);
  }
  expect(seen).toEqual([[], [100, 100], [], [50, 50], [25, 25]]);
  expect([...delivery.accepted].sort()).toEqual(ids.slice(25));
});

test('once the service confirms again all is delivered, and nothing is shown any more', async () => {
  const ids = await insertDirty(9);
  let isLoginPage = true;
  const delivery = startDelivery(() => isLoginPage);
  await delivery.runAfter({ seconds: 0 });
  for (let pass = 0; pass < 12; pass += 1) await delivery.runAfter({ minutes: 16 });
  expect([delivery.accepted.length, (await oddRows())[0]?.records]).toEqual([0, ids.length]);
  isLoginPage = false;
  await delivery.runAfter({ minutes: 16 });
  expect([delivery.accepted.length, await oddRows()]).toEqual([ids.length, []]);
});
