/** The ordering that the database enforces for what is mirrored from Stripe. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { findInvoice, type InvoiceRow } from '../../../../../src/plugin/store/tables/sync/invoices.ts';
import { findMirrorVersion } from '../../../../../src/plugin/store/tables/sync/mirrors.ts';
import { claimDirty, markDelivered } from '../../../../../src/plugin/store/tables/sync/outbox.ts';
import {
  listSubscriptions,
  type SubscriptionRow,
} from '../../../../../src/plugin/store/tables/sync/subscriptions.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';
import { upsertInvoice, upsertSubscription } from '../../../../support/database/mirror-rows.ts';
import { runs } from '../../../../support/runner/full-run.ts';

const START = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const at = (seconds: number) => START.plus({ seconds });

function subscription(id: string, seconds: number, status = `at ${seconds}`): SubscriptionRow {
  const message = { status };
  return {
    account: 'own',
    id,
    customerId: 'cus_1',
    status,
    message,
    version: at(seconds),
    versionSource: 'event',
  };
}

function invoice(id: string, seconds: number, status = `at ${seconds}`): InvoiceRow {
  return {
    account: 'own',
    id,
    customerId: 'cus_1',
    subscriptionId: undefined,
    status,
    amountRemaining: 9_007_199_254_740_991,
    currency: 'usd',
    attemptCount: 1,
    isFirst: false,
    nextAttemptAt: undefined,
    message: { status },
    version: at(seconds),
    versionSource: 'event',
  };
}

/** Versions as they arrive: any order, with repetitions; few distinct ones, so that ties are common. */
const arrivals = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 12 });

/** What must be accepted: only what is newer than everything before. */
function accepted(versions: readonly number[]): boolean[] {
  return versions.map((version, index) => versions.slice(0, index).every((earlier) => earlier < version));
}

function freshIds(): () => number {
  let count = 0;
  return () => {
    count += 1;
    return count;
  };
}

describe.each(ENGINES)('mirrored objects on $engine', (engine) => {
  let test: TestDatabase;
  const fresh = freshIds();
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  afterAll(() => test.close());

  it('an older subscription never replaces a newer one, whatever the order and repetition', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, async (versions) => {
        const id = `sub_${fresh()}`;
        const applied: boolean[] = [];
        for (const [index, version] of versions.entries())
          applied.push(
            await upsertSubscription(test.database, subscription(id, version, `arrival ${index}`)),
          );
        expect(applied).toEqual(accepted(versions));
        const [row] = await test.database.query<{ status: string }>(
          'select status from payment_retry.subscriptions where id = $1',
          [id],
        );
        expect(row?.status).toBe(`arrival ${applied.lastIndexOf(true)}`);
        const stored = await findMirrorVersion(test.database, { account: 'own', kind: 'subscriptions', id });
        expect(stored?.version).toEqual(at(Math.max(...versions)));
      }),
      { numRuns: runs(40) },
    );
  });

  it('an older invoice never replaces a newer one, whatever the order and repetition', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, async (versions) => {
        const id = `in_${fresh()}`;
        const applied: boolean[] = [];
        for (const [index, version] of versions.entries())
          applied.push(await upsertInvoice(test.database, invoice(id, version, `arrival ${index}`)));
        expect(applied).toEqual(accepted(versions));
        const stored = await findInvoice(test.database, 'own', id);
        expect(stored?.status).toBe(`arrival ${applied.lastIndexOf(true)}`);
      }),
      { numRuns: runs(40) },
    );
  });

  it('many writers of a mirrored object at once leave the newest', async () => {
    const versions = [3, 9, 1, 7, 9, 2, 8, 4, 6, 5];
    await Promise.all(
      versions.map((version) => upsertSubscription(test.database, subscription('sub_many', version))),
    );
    expect(
      (await findMirrorVersion(test.database, { account: 'own', kind: 'subscriptions', id: 'sub_many' }))
        ?.version,
    ).toEqual(at(9));
    await Promise.all(versions.map((version) => upsertInvoice(test.database, invoice('in_many', version))));
    expect(
      (await findMirrorVersion(test.database, { account: 'own', kind: 'invoices', id: 'in_many' }))?.version,
    ).toEqual(at(9));
  });

  it('a write of a mirrored object that rests on what is no longer stored changes nothing', async () => {
    const { database } = test;
    const basis = async (id: string) => ({
      stored: await findMirrorVersion(database, { account: 'own', kind: 'subscriptions', id }),
    });
    const before = await basis('sub_raced');
    expect(await upsertSubscription(database, subscription('sub_raced', 1), before)).toBe(true);
    expect(await upsertSubscription(database, subscription('sub_raced', 5), before)).toBe(false);
    const after = await basis('sub_raced');
    expect(await upsertSubscription(database, subscription('sub_raced', 3), after)).toBe(true);
    expect(await upsertSubscription(database, subscription('sub_raced', 9), after)).toBe(false);

    const unknown = { stored: undefined };
    expect(await upsertInvoice(database, invoice('in_raced', 1), unknown)).toBe(true);
    expect(await upsertInvoice(database, invoice('in_raced', 5), unknown)).toBe(false);
    const known = {
      stored: await findMirrorVersion(database, { account: 'own', kind: 'invoices', id: 'in_raced' }),
    };
    expect(await upsertInvoice(database, invoice('in_raced', 5), known)).toBe(true);
    expect(await upsertInvoice(database, invoice('in_raced', 9), known)).toBe(false);
  });

  it('a mirrored state without a message leaves the last one as it was told, or to be told', async () => {
    const { database } = test;
    const deliver = async () => {
      const claim = { account: 'silent', now: at(0), until: at(60), by: undefined, limit: 10 };
      const rows = await claimDirty(database, 'subscriptions', claim);
      await markDelivered(database, 'subscriptions', 'silent', rows, 'req_1');
      return rows.map(({ message, version }) => ({ ...message, version: version.diff(START).as('seconds') }));
    };
    const put = (seconds: number, change: Partial<SubscriptionRow>) =>
      upsertSubscription(database, { ...subscription('sub_silent', seconds), account: 'silent', ...change });
    await put(1, { message: { amount: 5, state: 'ACTIVE', expiresAt: 'next month' } });
    await put(2, { message: undefined });
    expect(await deliver()).toEqual([{ amount: 5, state: 'ACTIVE', expiresAt: 'next month', version: 2 }]);
    await put(3, { message: undefined });
    expect(await deliver()).toEqual([]);
    await put(4, { message: undefined, ending: { state: 'CANCELED', canceledAt: 'now', expiresAt: null } });
    expect(await deliver()).toEqual([{ amount: 5, state: 'CANCELED', canceledAt: 'now', version: 4 }]);
  });

  it('the end of a subscription that nothing was told about is not told', async () => {
    const row = { ...subscription('sub_unknown', 1), message: undefined, ending: { state: 'CANCELED' } };
    await upsertSubscription(test.database, row);
    await upsertSubscription(test.database, { ...row, version: at(2) });
    const stored = await listSubscriptions(test.database, 'own');
    expect(stored.find(({ id }) => id === row.id)?.message).toBeNull();
  });

  it('a mirrored object gives large amounts back as the numbers they were', async () => {
    await upsertInvoice(test.database, invoice('in_large', 1));
    expect((await findInvoice(test.database, 'own', 'in_large'))?.amountRemaining).toBe(
      Number.MAX_SAFE_INTEGER,
    );
  });
});
