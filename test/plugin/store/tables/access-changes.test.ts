import { DateTime } from 'luxon';
import { lookForAccessChanges } from '../../../../src/plugin/store/tables/access-changes.ts';
import { claimDirty, markDelivered } from '../../../../src/plugin/store/tables/sync/outbox.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { upsertSubscription } from '../../../support/database/mirror-rows.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

describe.each(ENGINES)('access changes on $engine', (engine) => {
  let store: TestDatabase;
  beforeAll(async () => {
    store = await openTestDatabase(engine);
  });
  beforeEach(() => store.clear());
  afterAll(() => store.close());

  /** Customers whose access may have changed by `work`. */
  async function changedBy(work: () => Promise<unknown>): Promise<readonly string[] | null | undefined> {
    await store.database.query('delete from payment_retry.access_changes');
    await work();
    return (await lookForAccessChanges(store.database, '0'))?.keys;
  }
  const upsert = (seconds: number, status: string, message: object) =>
    upsertSubscription(store.database, {
      account: 'own',
      id: 'sub_1',
      customerId: 'cus_1',
      status,
      message,
      version: NOW.plus({ seconds }),
      versionSource: 'event',
    });

  test('come from a new subscription, and from a change of status, end or plan', async () => {
    expect(await changedBy(() => upsert(1, 'active', { planId: 'price_1' }))).toEqual(['own cus_1']);
    expect(await changedBy(() => upsert(2, 'active', { planId: 'price_1', amount: 2 }))).toBeNull();
    expect(await changedBy(() => upsert(3, 'past_due', { planId: 'price_1' }))).toEqual(['own cus_1']);
    expect(await changedBy(() => upsert(4, 'past_due', { planId: 'price_2' }))).toEqual(['own cus_1']);
    const endsAt = '2026-04-01T00:00:00Z';
    expect(await changedBy(() => upsert(5, 'past_due', { planId: 'price_2', endsAt }))).toEqual([
      'own cus_1',
    ]);
  });

  test('do not come from a delivery', async () => {
    await upsert(1, 'active', { planId: 'price_1' });
    const deliver = async () => {
      const claim = { account: 'own', now: NOW, until: NOW.plus({ minutes: 1 }), by: undefined, limit: 10 };
      const rows = await claimDirty(store.database, 'subscriptions', claim);
      expect(rows).toHaveLength(1);
      await markDelivered(store.database, 'subscriptions', 'own', rows, 'req_1');
    };
    expect(await changedBy(deliver)).toBeNull();
  });
});
