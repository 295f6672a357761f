import { DateTime } from 'luxon';
import { upsertPage } from '../../../../../src/plugin/store/tables/backfill/backfill-pages.ts';
import {
  SUBSCRIPTIONS,
  type SubscriptionRow,
} from '../../../../../src/plugin/store/tables/sync/subscriptions.ts';
import {
  listRereadAsked,
  listUnmapped,
  replayUnmapped,
  settleReread,
} from '../../../../../src/plugin/store/tables/sync/unmapped.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';
import { upsertSubscription } from '../../../../support/database/mirror-rows.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const REASON = { code: 'price_without_amount', priceId: 'price_1' } as const;

describe.each(ENGINES)('records that no message fits, on $engine', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  beforeEach(() => test.clear());
  afterAll(() => test.close());

  const row = (id: string, seconds: number, changes: Partial<SubscriptionRow> = {}): SubscriptionRow => ({
    account: 'own',
    id,
    customerId: 'cus_1',
    status: 'active',
    message: undefined,
    unmappedReason: REASON,
    version: NOW.plus({ seconds }),
    versionSource: 'event',
    ...changes,
  });
  const store = (...given: Parameters<typeof row>) => upsertSubscription(test.database, row(...given));
  const listed = async () => (await listUnmapped(test.database)).map(({ id, reason }) => [id, reason]);

  it('records that no message fits are listed with the reason until they are mapped', async () => {
    await store('sub_1', 0);
    await store('sub_2', 0, { message: {}, unmappedReason: undefined });
    expect(await listed()).toEqual([['sub_1', REASON]]);
    await store('sub_1', 1, { message: {}, unmappedReason: undefined });
    expect(await listed()).toEqual([]);
  });

  it('records that no message fits are listed once they are over only if the service was told of them', async () => {
    await store('sub_1', 0, { status: 'canceled' });
    await store('sub_2', 0, { status: 'canceled' });
    await test.database.query(
      `update payment_retry.subscriptions set delivered_version = $1 where id = 'sub_2'`,
      [NOW.minus({ days: 1 }).toISO()],
    );
    expect(await listed()).toEqual([['sub_2', REASON]]);
  });

  it('records that no message fits are found by a backfill too, and mended by the next one', async () => {
    const page = (seconds: number, changes: Partial<SubscriptionRow> = {}) => {
      const one = row('sub_1', seconds, { versionSource: 'read', ...changes });
      const replaces = NOW.plus({ seconds });
      return upsertPage(test.database, SUBSCRIPTIONS, {
        account: 'own',
        run: 1,
        page: [{ row: one, replaces }],
      });
    };
    expect(await page(0)).toMatchObject([{ verdict: 'added', isNews: false }]);
    expect(await listed()).toEqual([['sub_1', REASON]]);
    expect(await page(10)).toMatchObject([{ verdict: 'equal' }]);
    expect(await page(20, { message: {}, unmappedReason: undefined })).toMatchObject([
      { verdict: 'repaired', isNews: true },
    ]);
    expect(await listed()).toEqual([]);
  });

  it('records that no message fits wait to be read again once a person asks, and are forgotten if Stripe has them no more', async () => {
    const key = { account: 'own', kind: 'subscriptions' as const, id: 'sub_1' };
    const waiting = () => listRereadAsked(test.database, 10);
    await store('sub_1', 0);
    await store('sub_2', 0);
    expect(await replayUnmapped(test.database, 'subscriptions', ['sub_1', 'sub_3'])).toEqual(['sub_1']);
    expect(await waiting()).toEqual([key]);
    await settleReread(test.database, key, { isGone: false });
    expect([await waiting(), await listed()]).toEqual([
      [],
      [
        ['sub_1', REASON],
        ['sub_2', REASON],
      ],
    ]);
    await settleReread(test.database, key, { isGone: true });
    expect(await listed()).toEqual([['sub_2', REASON]]);
  });
});
