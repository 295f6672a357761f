/** A refused batch is halved until the records at fault stand alone. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import { silentLogger } from '../../../../src/core/base/logger.ts';
import { OWN_ACCOUNT } from '../../../../src/plugin/settings/account.ts';
import { loadConfig } from '../../../../src/plugin/settings/config.ts';
import { claimDirty, listQuarantined } from '../../../../src/plugin/store/tables/sync/outbox.ts';
import { createDeliverer } from '../../../../src/plugin/sync/deliver/deliver.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { runs } from '../../../support/runner/full-run.ts';

const CONFIG = loadConfig(
  { retryMode: 'advisory', stripeSecretKey: 'sk_test_1', stripeWebhookSecret: 'whsec_1' },
  {},
);

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

/** The most that the contract allows. */
const BATCH = 200;

let store: TestDatabase;
beforeAll(async () => {
  store = await openTestDatabase(MAIN);
  await store.database.exec('set synchronous_commit = off');
});
afterAll(() => store?.close());

async function insertDirty(ids: readonly string[]): Promise<void> {
  await store.database.query(
    `insert into payment_retry.subscriptions (account, id, customer_id, status, message, version, version_source)
     select $1, id, 'cus_1', 'active', jsonb_build_object('id', id), $2, 'event' from unnest($3::text[]) as id`,
    [OWN_ACCOUNT, NOW.toISO(), ids],
  );
}

/** A service that refuses every batch with one of these in it, and a memory of what it was sent. */
function createPickyService(refused: ReadonlySet<string>) {
  const accepted: string[] = [];
  const counts = { requests: 0 };
  const ingest = async (_kind: string, records: readonly object[]) => {
    counts.requests += 1;
    const ids = records.flatMap((record) => ('id' in record ? [String(record.id)] : []));
    if (ids.some((id) => refused.has(id))) return { kind: 'refused' as const, status: 422, answer: 'no' };
    accepted.push(...ids);
    return { kind: 'accepted' as const, requestId: 'req_1' };
  };
  return { ingest, accepted, counts };
}

const batches = fc.integer({ min: 1, max: 450 }).chain((size) =>
  fc.record({
    size: fc.constant(size),
    refused: fc.uniqueArray(fc.nat(size - 1), { maxLength: Math.min(size, 12) }),
  }),
);

test('exactly the refused records end in quarantine, all others are delivered once, in few requests', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async ({ size, refused }) => {
      await store.clear();
      const ids = Array.from({ length: size }, (_, index) => `sub_${String(index).padStart(3, '0')}`);
      const bad = new Set(ids.filter((_id, index) => refused.includes(index)));
      await insertDirty(ids);
      const service = createPickyService(bad);
      const asked: object[] = [];
      const { handle } = createDeliverer({
        database: store.database,
        config: CONFIG,
        serviceOf: () => ({ ...service, can: async () => false }),
        clock: createSimulatedClock(NOW),
        logger: silentLogger,
        enqueue: async (_name, jobs) => void asked.push(...jobs),
        processId: () => undefined,
        random: () => 0,
      });
      do {
        asked.length = 0;
        await handle({ account: OWN_ACCOUNT });
      } while (asked.length > 0);

      const quarantined = (await listQuarantined(store.database)).map(({ id }) => id);
      expect(quarantined).toEqual([...bad].sort());
      expect([...service.accepted].sort()).toEqual(ids.filter((id) => !bad.has(id)));
      // A refused record takes its own path down through the halves, and each step also sends the other half.
      const steps = Math.ceil(Math.log2(Math.min(size, BATCH)));
      expect(service.counts.requests).toBeLessThanOrEqual(Math.ceil(size / BATCH) + 2 * bad.size * steps);

      const requests = service.counts.requests;
      await handle({ account: OWN_ACCOUNT });
      expect(service.counts.requests).toBe(requests);
    }),
    { numRuns: runs(30) },
  );
});

test('what another process took over while a batch was halved is not sent by this one any more', async () => {
  await store.clear();
  await insertDirty(['sub_1', 'sub_2']);
  const clock = createSimulatedClock(NOW);
  const sent: number[] = [];
  const { handle } = createDeliverer({
    database: store.database,
    config: CONFIG,
    serviceOf: () => ({
      can: async () => false,
      ingest: async (_kind, records) => {
        sent.push(records.length);
        await clock.set(clock.now().plus({ seconds: 61 }));
        const [now, until] = [clock.now(), clock.now().plus({ seconds: 60 })];
        await claimDirty(store.database, 'subscriptions', {
          account: OWN_ACCOUNT,
          now,
          until,
          by: 2,
          limit: 9,
        });
        return { kind: 'refused', status: 422, answer: 'no' };
      },
    }),
    clock,
    logger: silentLogger,
    enqueue: async () => {},
    processId: () => 1,
    random: () => 0,
  });
  await handle({ account: OWN_ACCOUNT });
  expect(sent).toEqual([2]);
});

test('a service that refuses a batch for its size gets smaller ones from then on', async () => {
  await store.clear();
  const sizes: number[] = [];
  const { handle } = createDeliverer({
    database: store.database,
    config: CONFIG,
    serviceOf: () => ({
      can: async () => false,
      ingest: async (_kind, records) => {
        sizes.push(records.length);
        if (records.length > 60) return { kind: 'refused', status: 413, answer: 'too many' };
        return { kind: 'accepted', requestId: 'req_1' };
      },
    }),
    clock: createSimulatedClock(NOW),
    logger: silentLogger,
    enqueue: async () => {},
    processId: () => 1,
    random: () => 0,
  });
  for (const [day, expected] of [
    ['monday', [200, 100, 50, 50, 100, 50, 50]],
    ['tuesday', [50, 50, 50, 50]],
  ] as const) {
    await insertDirty(Array.from({ length: BATCH }, (_, index) => `sub_${day}_${index}`));
    sizes.length = 0;
    await handle({ account: OWN_ACCOUNT });
    expect(sizes).toEqual(expected);
  }
  expect(await listQuarantined(store.database)).toEqual([]);
});
