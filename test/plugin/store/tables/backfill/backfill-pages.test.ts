/** Whole pages in one statement, on both databases: what is written, what is left alone, and what must be told. */
import { randomUUID } from 'node:crypto';
import { DateTime } from 'luxon';
import {
  findPaidInvoices,
  recordChargePage,
  recordPayments,
} from '../../../../../src/plugin/store/tables/backfill/backfill-charges.ts';
import { type PageRow, upsertPage } from '../../../../../src/plugin/store/tables/backfill/backfill-pages.ts';
import {
  insertRange,
  listOpenRanges,
  moveRange,
} from '../../../../../src/plugin/store/tables/backfill/backfill-ranges.ts';
import {
  findOpenRun,
  finishRun,
  insertRun,
} from '../../../../../src/plugin/store/tables/backfill/backfill-runs.ts';
import {
  listUnseenInvoices,
  markInvoiceGone,
  recordSeen,
} from '../../../../../src/plugin/store/tables/backfill/backfill-unseen.ts';
import {
  type ChargeRecord,
  recordCharge,
} from '../../../../../src/plugin/store/tables/sync/charge-records.ts';
import {
  findInvoice,
  INVOICES,
  type InvoiceRow,
} from '../../../../../src/plugin/store/tables/sync/invoices.ts';
import { claimDirty, markDelivered } from '../../../../../src/plugin/store/tables/sync/outbox.ts';
import {
  listSubscriptions,
  SUBSCRIPTIONS,
  type SubscriptionRow,
} from '../../../../../src/plugin/store/tables/sync/subscriptions.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';

const START = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const at = (seconds: number) => START.plus({ seconds });
const account = 'own';
const scope = { account, run: 7 };

function subscription(id: string, seconds: number, status: string, amount: number): PageRow<SubscriptionRow> {
  const message = { id, amount, updatedAt: at(seconds).toISO() };
  const row = { account, id, customerId: 'cus_1', status, message, version: at(seconds) };
  return { row: { ...row, versionSource: 'read' }, replaces: at(seconds - 6) };
}

function invoice(id: string, status: string, seconds = 0): PageRow<InvoiceRow> {
  const row = {
    account,
    id,
    customerId: 'cus_1',
    subscriptionId: 'sub_1',
    status,
    amountRemaining: 2_000,
    currency: 'usd',
    attemptCount: 1,
    isFirst: false,
    nextAttemptAt: at(100),
    message: { id, status },
    version: at(seconds),
    versionSource: 'read' as const,
  };
  return { row, replaces: at(seconds - 6) };
}

function charge(chargeId: string, outcome: string, changes: Partial<ChargeRecord> = {}): ChargeRecord {
  return {
    id: randomUUID(),
    account,
    invoiceId: 'in_1',
    customerId: 'cus_1',
    subscriptionId: 'sub_1',
    chargeId,
    amount: 2_000,
    currency: 'usd',
    chargedAt: at(-100),
    paymentMethod: 'pm_1',
    methodType: 'card',
    brand: 'visa',
    fingerprint: 'fp_1',
    cardExpiry: '2030-12',
    result: { outcome },
    message: { id: chargeId, outcome },
    version: at(0),
    ...changes,
  };
}

describe.each(ENGINES)('pages on $engine', (engine) => {
  let store: TestDatabase;
  beforeAll(async () => {
    store = await openTestDatabase(engine);
  });
  afterAll(() => store?.close());
  afterEach(() => store.clear());

  const upsert = async (...page: PageRow<SubscriptionRow>[]) =>
    (await upsertPage(store.database, SUBSCRIPTIONS, { ...scope, page })).map(({ verdict, isNews }) => [
      verdict,
      isNews,
    ]);
  const deliver = async () => {
    const claim = { account, now: at(0), until: at(60), by: undefined, limit: 10 };
    const rows = await claimDirty(store.database, 'subscriptions', claim);
    await markDelivered(store.database, 'subscriptions', account, rows, 'req_1');
    return rows.map(({ key }) => key);
  };

  test('a backfill page adds what is new and does not write what is equal', async () => {
    expect(await upsert(subscription('sub_1', 0, 'active', 5))).toEqual([['added', true]]);
    const before = await listSubscriptions(store.database, account);
    expect(await upsert(subscription('sub_1', 100, 'active', 5))).toEqual([['equal', false]]);
    expect(await listSubscriptions(store.database, account)).toEqual(before);
  });

  test('a backfill page repairs what differs, which becomes dirty; another status alone is written and not sent', async () => {
    await upsert(subscription('sub_1', 0, 'active', 5), subscription('sub_2', 0, 'active', 5));
    expect(await deliver()).toHaveLength(2);
    const page = [subscription('sub_1', 100, 'active', 6), subscription('sub_2', 100, 'past_due', 5)];
    expect(await upsert(...page)).toEqual([
      ['repaired', true],
      ['repaired', false],
    ]);
    expect(await deliver()).toEqual(['sub_1']);
  });

  test('a stored state that may be newer than the backfill page is contested and left alone', async () => {
    await upsert(subscription('sub_1', 0, 'active', 5));
    expect(await upsert(subscription('sub_1', 5, 'canceled', 6))).toEqual([['contested', true]]);
    const [row] = await listSubscriptions(store.database, account);
    expect(row?.message).toMatchObject({ amount: 5 });
    expect(await upsert(subscription('sub_1', 6, 'canceled', 6))).toEqual([['repaired', true]]);
  });

  test('a backfill page without a message leaves the stored one; an ending is laid over it', async () => {
    const without = (seconds: number, status: string, ending?: object) => {
      const { row, replaces } = subscription('sub_1', seconds, status, 5);
      return { row: { ...row, message: undefined, ending }, replaces };
    };
    const ending = { state: 'CANCELED', amount: null };
    expect(await upsert(without(0, 'canceled', ending))).toEqual([['added', false]]);
    await upsert(subscription('sub_1', 10, 'active', 5));
    expect(await deliver()).toEqual(['sub_1']);
    expect(await upsert(without(20, 'active'))).toEqual([['equal', false]]);
    expect(await upsert(without(30, 'past_due'))).toEqual([['repaired', false]]);
    expect(await deliver()).toEqual([]);
    expect(await upsert(without(40, 'canceled', ending))).toEqual([['repaired', true]]);
    expect(await deliver()).toEqual(['sub_1']);
    const [row] = await listSubscriptions(store.database, account);
    expect(row?.message).toEqual({ id: 'sub_1', state: 'CANCELED', updatedAt: at(10).toISO() });
    expect(await upsert(without(50, 'canceled', ending))).toEqual([['equal', false]]);
  });

  test('an invoice of a backfill page takes every column, and one that is gone loses its message', async () => {
    const { database } = store;
    await upsertPage(database, INVOICES, {
      ...scope,
      page: [invoice('in_1', 'open'), invoice('in_2', 'paid')],
    });
    expect(await findInvoice(database, account, 'in_1')).toMatchObject({
      subscriptionId: 'sub_1',
      amountRemaining: 2_000,
      status: 'open',
    });
    const gone = { account, id: 'in_1', replaces: at(-1), version: at(9) };
    expect(await markInvoiceGone(database, gone)).toBe(false);
    expect(await markInvoiceGone(database, { ...gone, replaces: at(0) })).toBe(true);
    expect((await findInvoice(database, account, 'in_1'))?.status).toBe('deleted');
  });

  test('only unsettled invoices that the backfill pages did not show are unseen', async () => {
    const { database } = store;
    const page = [
      invoice('in_1', 'open'),
      invoice('in_2', 'paid'),
      invoice('in_3', 'draft'),
      invoice('in_4', 'open'),
    ];
    await upsertPage(database, INVOICES, { ...scope, page });
    await recordSeen(database, scope.run, ['in_1', 'in_1']);
    expect(await listUnseenInvoices(database, scope, { after: null, limit: 9 })).toEqual(['in_3', 'in_4']);
    expect(await listUnseenInvoices(database, scope, { after: 'in_3', limit: 9 })).toEqual(['in_4']);
  });

  test('a backfill reports a charge once; its outcome replaces a pending one whatever the versions say', async () => {
    const { database } = store;
    const record = async (...page: ChargeRecord[]) =>
      (await recordChargePage(database, scope, page)).map(({ verdict, isNews }) => [verdict, isNews]);
    expect(await record(charge('ch_1', 'declined'))).toEqual([['added', true]]);
    expect(await record(charge('ch_1', 'declined', { version: at(50) }))).toEqual([['equal', false]]);
    await recordCharge(database, charge('ch_2', 'pending', { version: at(500) }));
    expect(await record(charge('ch_2', 'paid', { paymentIntent: 'pi_2' }))).toEqual([['repaired', true]]);
    await recordCharge(database, charge('ch_3', 'requires_action'));
    expect(await record(charge('ch_3', 'declined', { version: at(50) }))).toEqual([['equal', false]]);
    await recordCharge(database, charge('ch_4', 'declined', { message: undefined }));
    expect(await record(charge('ch_4', 'declined', { version: at(50) }))).toEqual([['repaired', true]]);
    await record(charge('ch_5', 'declined', { paymentIntent: 'pi_5' }));
    const intents = `select charge_id || ' ' || payment_intent as paid from payment_retry.attempts
      where payment_intent is not null order by charge_id`;
    expect(await database.query(intents)).toEqual([{ paid: 'ch_2 pi_2' }, { paid: 'ch_5 pi_5' }]);
  });

  test('payments show whose a charge is, while the backfill run lasts', async () => {
    const { database } = store;
    await upsertPage(database, INVOICES, { ...scope, page: [invoice('in_1', 'open')] });
    const payment = { payment: 'pi_1', invoiceId: 'in_1' };
    await recordPayments(database, scope.run, [payment, payment]);
    await recordPayments(database, scope.run, [payment]);
    expect(await findPaidInvoices(database, scope, ['pi_1', 'pi_2'])).toEqual([
      {
        ...payment,
        customerId: 'cus_1',
        subscriptionId: 'sub_1',
        invoiceStatus: 'open',
        subscriptionStatus: null,
      },
    ]);
    await finishRun(database, scope.run, at(0));
    expect(await findPaidInvoices(database, scope, ['pi_1'])).toEqual([]);
  });

  test('a backfill range moves only from where its reader saw it, and an account has one open run', async () => {
    const { database } = store;
    const ranges = [{ list: 'subscriptions' as const, from: 0, to: 100 }];
    const wish = { account, kind: 'backfill' as const, months: 12, perSecond: 20, startedAt: at(0), ranges };
    const run = await insertRun(database, wish);
    expect(await insertRun(database, wish)).toBeUndefined();
    const [range] = await listOpenRanges(database, run?.id ?? 0, 'subscriptions');
    if (!run || !range) throw new Error('There is no range.');
    const tally = { read: 3, added: 1, repaired: 1, equal: 1, silent: 0, skipped: 0 };
    const move = { tally, rest: { from: 51, to: 90, after: 'sub_9' }, now: at(1) };
    expect(await moveRange(database, range, move)).toBe(true);
    expect(await moveRange(database, range, move)).toBe(false);
    await insertRange(database, run.id, { list: 'subscriptions', from: 0, to: 50 }, at(1));
    const open = await listOpenRanges(database, run.id, 'subscriptions');
    expect(open.map(({ from, to, after }) => ({ from, to, after }))).toEqual([
      { from: 0, to: 50, after: null },
      { from: 51, to: 90, after: 'sub_9' },
    ]);
    await finishRun(database, run.id, at(2));
    expect(await findOpenRun(database, account, 'backfill')).toBeUndefined();
  });
});
