/** Access from memory: what it sees of changes by any process, and what it answers while the database is away. */
import { systemClock } from '../../../../src/core/base/clock.ts';
import { DatabaseAwayError } from '../../../../src/core/base/errors.ts';
import type { Database } from '../../../../src/core/database/database.ts';
import { openDatabase } from '../../../../src/core/database/open-database.ts';
import { createCustomerAccess } from '../../../../src/plugin/operator/lists/customer-access.ts';
import {
  ENGINES,
  onPostgres,
  openTestDatabase,
  type TestDatabase,
} from '../../../support/database/databases.ts';
import { eventually } from '../../../support/eventually.ts';

const RULES = {
  mode: 'advisory',
  afterGivingUp: 'leave',
  accessGrace: { days: undefined, plans: [] },
} as const;
const KEY = { account: 'own', customerId: 'cus_1' };

const put = (status: string, customer = 'cus_1') =>
  `insert into payment_retry.subscriptions (account, id, customer_id, status, version, version_source)
   values ('own', 'sub_${customer}', '${customer}', '${status}', now(), 'event')
   on conflict (account, id) do update set status = excluded.status`;

/** Counts statements, and answers none while it is away. */
function watched(database: Database) {
  const seen = { statements: 0, isAway: false };
  const query: Database['query'] = async (text, params) => {
    if (seen.isAway) throw new DatabaseAwayError(new Error('away'));
    seen.statements += 1;
    return database.query(text, params);
  };
  return { seen, database: { ...database, query } };
}

const open = (database: Database, clock = systemClock) =>
  createCustomerAccess({ database, clock, config: () => RULES });

describe.each(ENGINES)('access on $engine', (engine) => {
  let store: TestDatabase;
  beforeAll(async () => {
    store = await openTestDatabase(engine);
  });
  afterEach(() => store.clear());
  afterAll(() => store?.close());

  test('a change is seen by a reader that has the answer in memory', async () => {
    const access = open(store.database);
    await store.database.exec(put('active'));
    expect(await access.read(KEY)).toMatchObject({ allowed: true, reason: 'good' });
    await store.database.exec(put('unpaid'));
    await eventually(async () => expect(await access.read(KEY)).toMatchObject({ allowed: false }));
    access.stop();
  });

  test('answers in memory ask the database for nothing', async () => {
    const { seen, database } = watched(store.database);
    const access = open(database);
    await store.database.exec(put('active'));
    await access.read(KEY);
    const before = seen.statements;
    const answers = await Promise.all(Array.from({ length: 200 }, () => access.read(KEY)));
    expect([answers.every(({ allowed }) => allowed), seen.statements]).toEqual([true, before]);
    access.stop();
  });

  test('somebody who subscribes is no longer unknown', async () => {
    const access = open(store.database);
    expect(await access.read(KEY)).toMatchObject({ allowed: false, reason: 'unknown_customer' });
    await store.database.exec(put('active'));
    expect(await access.read(KEY)).toMatchObject({ allowed: true });
    access.stop();
  });

  test('while the database is away, customers in memory keep the last answer, and others are refused', async () => {
    const { seen, database } = watched(store.database);
    const access = open(database);
    await store.database.exec(put('active'));
    await access.read(KEY);
    seen.isAway = true;
    await eventually(() =>
      expect(access.read({ ...KEY, customerId: 'cus_2' })).rejects.toThrow('cannot be reached'),
    );
    expect(await access.read(KEY)).toMatchObject({ allowed: true });
    access.stop();
  });
});

onPostgres('access and transactions', (engine) => {
  test('a transaction that began early and commits late is not missed', async () => {
    const store = await openTestDatabase(engine);
    const other = await openDatabase(store.location);
    const access = open(store.database);
    await store.database.exec(put('active'));
    await store.database.exec(put('active', 'cus_2'));
    await access.read(KEY);
    await other.transaction(async (tx) => {
      await tx.query(put('unpaid'));
      // A later one commits first, and is seen.
      await store.database.exec(put('unpaid', 'cus_2'));
      await eventually(async () =>
        expect(await access.read({ ...KEY, customerId: 'cus_2' })).toMatchObject({ allowed: false }),
      );
      expect(await access.read(KEY)).toMatchObject({ allowed: true });
    });
    await eventually(async () => expect(await access.read(KEY)).toMatchObject({ allowed: false }));
    access.stop();
    await other.close();
    await store.close();
  });
});
