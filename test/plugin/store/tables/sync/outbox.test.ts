import { DateTime } from 'luxon';
import {
  clearDeliveryPauses,
  listDeliveryPauses,
  setDeliveryPause,
} from '../../../../../src/plugin/store/tables/sync/cursors.ts';
import {
  claimDirty,
  listDirtyAccounts,
  markDelivered,
  markRefused,
  type OutboxRow,
  releaseClaims,
  renewClaims,
} from '../../../../../src/plugin/store/tables/sync/outbox.ts';
import { countVisited } from '../../../../support/database/count-visited.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';
import { upsertSubscription } from '../../../../support/database/mirror-rows.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const LEASE = { minutes: 2 };

describe.each(ENGINES)('outbox on $engine', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  beforeEach(() => test.clear());
  afterAll(() => test.close());

  const store = (id: string, seconds: number, message: object | undefined = { seconds }) =>
    upsertSubscription(test.database, {
      account: 'own',
      id,
      customerId: 'cus_1',
      status: 'active',
      message,
      version: NOW.plus({ seconds }),
      versionSource: 'event',
    });
  const claim = (now = NOW, limit = 100) =>
    claimDirty(test.database, 'subscriptions', {
      account: 'own',
      now,
      until: now.plus(LEASE),
      by: undefined,
      limit,
    });
  const deliver = (rows: readonly OutboxRow[]) =>
    markDelivered(test.database, 'subscriptions', 'own', rows, 'req_1');
  const keys = (rows: readonly OutboxRow[]) => rows.map(({ key }) => key).sort();

  it('the outbox claims what is dirty once, the oldest first when there are too many', async () => {
    await store('sub_2', 2);
    await store('sub_1', 1);
    await store('sub_3', 3);
    expect(keys(await claim(NOW, 2))).toEqual(['sub_1', 'sub_2']);
    expect(keys(await claim())).toEqual(['sub_3']);
    expect(await claim()).toEqual([]);
  });

  it('the outbox gives claimers that come at once disjoint rows, and all of them', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `sub_${index}`);
    for (const [index, id] of ids.entries()) await store(id, index);
    const taken = await Promise.all(Array.from({ length: 6 }, () => claim(NOW, 15)));
    const all = taken.flat().map(({ key }) => key);
    expect(new Set(all).size).toBe(all.length);
    expect(taken.every((rows) => rows.length <= 15)).toBe(true);
    const rest = await claim();
    expect([...all, ...keys(rest)].sort()).toEqual([...ids].sort());
  });

  it('the outbox is clean after the delivery of the version that is stored', async () => {
    await store('sub_1', 1);
    await deliver(await claim());
    expect(await claim(NOW.plus({ hours: 1 }))).toEqual([]);
    expect(await listDirtyAccounts(test.database)).toEqual([]);
  });

  it('the outbox keeps a row dirty that changed while it was sent, and sends the newer version at once', async () => {
    await store('sub_1', 1);
    const sent = await claim();
    await store('sub_1', 2);
    await deliver(sent);
    const next = await claim();
    expect(next.map(({ message, version }) => ({ message, at: version.toMillis() }))).toEqual([
      { message: { seconds: 2 }, at: NOW.plus({ seconds: 2 }).toMillis() },
    ]);
    await deliver(next);
    expect(await claim()).toEqual([]);
  });

  it('the outbox does not let a late mark of an older version undo the mark of a newer one', async () => {
    await store('sub_1', 1);
    const first = await claim();
    await store('sub_1', 2);
    const second = await claim(NOW.plus({ minutes: 3 }));
    await deliver(second);
    await deliver(first);
    expect(await claim(NOW.plus({ hours: 1 }))).toEqual([]);
  });

  it('the outbox offers rows again when the claim of a lost process has run out, not before', async () => {
    await store('sub_1', 1);
    await claim();
    expect(await claim(NOW.plus({ seconds: 119 }))).toEqual([]);
    expect(keys(await claim(NOW.plus({ seconds: 120 })))).toEqual(['sub_1']);
  });

  it('the outbox offers released rows at once', async () => {
    await store('sub_1', 1);
    await releaseClaims(test.database, 'subscriptions', 'own', await claim());
    expect(keys(await claim())).toEqual(['sub_1']);
  });

  it('the outbox holds a refused version back until the object changes', async () => {
    await store('sub_1', 1);
    const [row] = await claim();
    if (!row) throw new Error('Nothing was claimed.');
    await markRefused(test.database, 'subscriptions', 'own', row, '422 bad plan');
    expect(await claim(NOW.plus({ hours: 1 }))).toEqual([]);
    expect(await listDirtyAccounts(test.database)).toEqual([]);
    await store('sub_1', 2);
    expect(keys(await claim())).toEqual(['sub_1']);
  });

  it('the outbox passes over objects that are not to be forwarded', async () => {
    await test.database.query(
      `insert into payment_retry.subscriptions (account, id, customer_id, status, version, version_source)
       values ('own', 'sub_1', 'cus_1', 'incomplete', $1, 'event')`,
      [NOW.toISO()],
    );
    expect(await claim()).toEqual([]);
    expect(await listDirtyAccounts(test.database)).toEqual([]);
  });

  it('the outbox names every account with something to deliver', async () => {
    await store('sub_1', 1);
    expect(await listDirtyAccounts(test.database)).toEqual(['own']);
  });

  it('the outbox names no account whose records all wait for their time', async () => {
    const { database } = test;
    await store('sub_1', 1);
    expect(await listDirtyAccounts(database, NOW)).toEqual(['own']);
    const until = NOW.plus({ minutes: 1 });
    await releaseClaims(database, 'subscriptions', 'own', await claim(), { answer: '200 odd', until });
    expect(await listDirtyAccounts(database, NOW)).toEqual([]);
    expect(await listDirtyAccounts(database)).toEqual(['own']);
    expect(await listDirtyAccounts(database, until)).toEqual(['own']);
  });

  it('the outbox marks rows without a look at the account’s other rows', async () => {
    const { database } = test;
    await database.exec(`
      insert into payment_retry.subscriptions (account, id, customer_id, status, message, version, version_source)
      select 'own', 'sub_' || n, 'cus_1', 'active', '{}', '2026-03-02', 'event' from generate_series(1, 3000) n;
      insert into payment_retry.attempts (id, account, invoice_id, source, message, version, started_at)
      select gen_random_uuid(), 'own', 'in_1', 'stripe', '{}', '2026-03-02', '2026-03-02' from generate_series(1, 3000) n;
      analyze payment_retry.subscriptions, payment_retry.attempts`);
    for (const kind of ['subscriptions', 'transactions'] as const) {
      const taken = { account: 'own', now: NOW, until: NOW.plus(LEASE), by: undefined };
      const rows = await claimDirty(database, kind, { ...taken, limit: 3 });
      const [row] = rows;
      if (!row) throw new Error('Nothing was claimed.');
      const visited = [
        await countVisited(database, (db) => renewClaims(db, kind, rows, taken)),
        await countVisited(database, (db) => releaseClaims(db, kind, 'own', rows)),
        await countVisited(database, (db) => markDelivered(db, kind, 'own', rows, 'req_1')),
        await countVisited(database, (db) => markRefused(db, kind, 'own', row, '422')),
      ];
      expect(Math.max(...visited)).toBeLessThanOrEqual(2 * rows.length);
    }
  });

  it('the outbox pauses until the end of a pause, unless it was made by a clock that was ahead', async () => {
    const pause = { kind: 'invoices' as const, until: NOW.plus({ minutes: 5 }), failures: 1, since: NOW };
    const list = (now = NOW) => listDeliveryPauses(test.database, 'own', now);
    await setDeliveryPause(test.database, 'own', pause, NOW);
    expect(await list()).toEqual([pause]);
    expect(await list(NOW.minus({ hours: 1 }))).toEqual([]);
    await clearDeliveryPauses(test.database, 'own', ['subscriptions']);
    expect(await list()).toEqual([pause]);
    await clearDeliveryPauses(test.database, 'own');
    expect(await list()).toEqual([]);
  });
});
