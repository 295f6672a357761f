/** What is told of failed payments, from the rows that the other parts write. */
import { DateTime } from 'luxon';
import { sumMonths } from '../../../../../src/plugin/store/reports/money/failure-months.ts';
import {
  type CurrencyWorth,
  FAILURE_SORTS,
  isPlaceKey,
  placeOf,
} from '../../../../../src/plugin/store/reports/money/failure-order.ts';
import { listCustomers } from '../../../../../src/plugin/store/reports/money/list-customers.ts';
import {
  type FailureFilter,
  listFailures,
  sumListed,
} from '../../../../../src/plugin/store/reports/money/list-failures.ts';
import { sumUnpaid } from '../../../../../src/plugin/store/reports/money/needs.ts';
import {
  refreshFailures,
  refreshForReader,
} from '../../../../../src/plugin/store/reports/money/refresh-failures.ts';
import { insertAction } from '../../../../../src/plugin/store/tables/retry/actions.ts';
import { closeScheduledActions } from '../../../../../src/plugin/store/tables/retry/planned-actions.ts';
import { recordCharge } from '../../../../../src/plugin/store/tables/sync/charge-records.ts';
import { keepCards, keepPayer } from '../../../../../src/plugin/store/tables/sync/payers.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';
import { upsertInvoice } from '../../../../support/database/mirror-rows.ts';
import { eventually } from '../../../../support/eventually.ts';

const NOW = DateTime.fromISO('2026-03-10T10:00:00Z', { zone: 'utc' });
const EVIL = '<script>alert("x")</script>';

describe.each(ENGINES)('failed payments on $engine', (engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
  });
  beforeEach(() => opened.clear());
  afterAll(() => opened.close());

  const charge = (
    invoiceId: string,
    outcome: string,
    at: DateTime,
    more: Partial<Parameters<typeof recordCharge>[1]> = {},
  ) =>
    recordCharge(opened.database, {
      id: crypto.randomUUID(),
      account: 'own',
      invoiceId,
      customerId: `cus_${invoiceId}`,
      subscriptionId: `sub_${invoiceId}`,
      chargeId: `ch_${invoiceId.replaceAll('_', '')}x${at.toMillis()}`,
      amount: 2000,
      currency: 'usd',
      chargedAt: at,
      paymentMethod: `pm_${invoiceId}`,
      methodType: 'card',
      brand: 'visa',
      fingerprint: 'fp_1',
      cardExpiry: '2030-12',
      result: { outcome, ...(outcome === 'declined' ? { declineCode: 'insufficient_funds' } : {}) },
      message: undefined,
      version: at,
      ...more,
    });
  const invoice = (id: string, status: string, at: DateTime) =>
    upsertInvoice(opened.database, {
      account: 'own',
      id,
      customerId: `cus_${id}`,
      subscriptionId: `sub_${id}`,
      status,
      amountRemaining: status === 'paid' ? 0 : 2000,
      currency: 'usd',
      attemptCount: 1,
      isFirst: false,
      nextAttemptAt: undefined,
      message: undefined,
      version: at,
      versionSource: 'event',
    });
  const plan = (invoiceId: string, kind: 'pay' | 'card_update_email', dueAt: DateTime) =>
    insertAction(opened.database, {
      id: crypto.randomUUID(),
      account: 'own',
      cause: 'instruction',
      reference: '1',
      kind,
      invoiceId,
      customerId: undefined,
      subscriptionId: undefined,
      requestId: undefined,
      paymentMethod: undefined,
      dueAt,
      createdAt: NOW,
    });
  const fail = async (id: string, at: DateTime) => {
    await charge(id, 'declined', at);
    await invoice(id, 'open', at);
  };
  const list = async (filter: FailureFilter = {}) => {
    await refreshFailures(opened.database);
    return listFailures(opened.database, filter, { sort: 'failed', limit: 10 });
  };
  test('a reader that finds nothing to take in opens no transaction, and so waits for no lock', async () => {
    await list();
    const transaction = () => Promise.reject(new Error('There is nothing to take in.'));
    await refreshForReader({ ...opened.database, transaction });
    await fail('in_new', NOW);
    await expect(refreshForReader({ ...opened.database, transaction })).rejects.toThrow('nothing to take in');
  });

  test('readers take in a few changes at once, and many once a second', async () => {
    await fail('in_1', NOW);
    const change = (times: number) =>
      opened.database.query(
        `insert into payment_retry.failure_changes (account, invoice_id) select 'own', 'in_1' from generate_series(1, $1)`,
        [times],
      );
    const waiting = async () => {
      await refreshForReader(opened.database);
      const [row] = await opened.database.query<{ count: number }>(
        'select count(*)::int as count from payment_retry.failure_changes',
      );
      return row?.count;
    };
    const refreshedAgo = (time: string) =>
      opened.database.query(
        `update payment_retry.cursors set updated_at = clock_timestamp() - $1::interval where name = 'failures_refreshed'`,
        [time],
      );
    expect(await waiting()).toBe(0);
    await change(60);
    await refreshedAgo('-0.9 s');
    expect(await waiting()).toBe(60);
    await refreshedAgo('1.1 s');
    expect(await waiting()).toBe(0);
    await change(40);
    await refreshedAgo('-0.9 s');
    expect(await waiting()).toBe(0);
  });

  const ids = async (filter: FailureFilter) => (await list(filter)).map(({ invoiceId }) => invoiceId);

  test('who reads failures that another process is drawing waits for it, and sees what it has done itself', async () => {
    await fail('in_1', NOW);
    const { database } = opened;
    let begin = () => {};
    let end = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const other = database.transaction(async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(hashtextextended('payment_retry failures', 0))::text`);
      begin();
      await new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    await begun;
    const read = ids({});
    const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted`;
    try {
      // On the embedded database it waits for the whole transaction.
      if (database.kind === 'postgres')
        await eventually(async () => expect(await database.query(waiting)).toHaveLength(1));
    } finally {
      end();
      await other;
    }
    expect(await read).toEqual(['in_1']);
  });

  test('an invoice that was paid at once is no failure', async () => {
    await charge('in_1', 'paid', NOW);
    await invoice('in_1', 'paid', NOW);
    expect(await list()).toEqual([]);
  });

  test('a failed invoice is open while a payment is planned, and waits where none is', async () => {
    await fail('in_1', NOW);
    expect(await list()).toMatchObject([
      { state: 'waiting', amount: 2000, reason: 'insufficient_funds', attempts: 1 },
    ]);
    await plan('in_1', 'pay', NOW.plus({ days: 2 }));
    expect(await list()).toMatchObject([{ state: 'open', nextKind: 'pay', nextAt: NOW.plus({ days: 2 }) }]);
    await closeScheduledActions(
      opened.database,
      { account: 'own', invoiceIds: ['in_1'] },
      { code: 'new_card' },
      NOW,
    );
    expect(await list()).toMatchObject([{ state: 'waiting', nextKind: null }]);
  });

  test('a recovery is told with its cause, and a written-off invoice is lost', async () => {
    for (const id of ['in_1', 'in_2', 'in_3']) await fail(id, NOW.minus({ days: 3 }));
    await charge('in_1', 'paid', NOW);
    await invoice('in_1', 'paid', NOW);
    await charge('in_2', 'paid', NOW, { fingerprint: 'fp_2' });
    await invoice('in_2', 'paid', NOW);
    await invoice('in_3', 'uncollectible', NOW);
    const found = await list();
    expect(found.map(({ invoiceId, state, cause }) => [invoiceId, state, cause])).toEqual([
      ['in_1', 'recovered', 'by_itself'],
      ['in_2', 'recovered', 'new_card'],
      ['in_3', 'lost', null],
    ]);
    const month = NOW.setZone('Asia/Tokyo').startOf('month');
    const asked = {
      zone: 'Asia/Tokyo',
      now: NOW,
      factors: {},
      dimensions: ['all', 'paid', 'recovered'] as const,
    };
    const sums = await sumMonths(opened.database, { from: month, to: month.plus({ months: 1 }) }, asked);
    expect(
      sums
        .map(({ dimension, state, value, invoices }) => `${dimension} ${state} ${value} ${invoices}`)
        .sort(),
    ).toEqual([
      'all lost null 1',
      'all recovered by_itself 1',
      'all recovered new_card 1',
      'paid recovered 2026-03-10 2',
      'recovered recovered null 2',
    ]);
  });

  test('an invoice that was paid in parts is recovered by the last one, with all of them', async () => {
    await fail('in_1', NOW.minus({ days: 3 }));
    await charge('in_1', 'paid', NOW, { amount: 1500, fingerprint: 'fp_2' });
    await charge('in_1', 'paid', NOW.minus({ days: 1 }), { amount: 500 });
    await invoice('in_1', 'paid', NOW);
    expect(await list()).toMatchObject([{ amount: 2000, cause: 'new_card', endedAt: NOW }]);
  });

  test('the sums of all and of each dimension agree', async () => {
    await fail('in_1', NOW.minus({ days: 3 }));
    await fail('in_2', NOW.minus({ days: 1 }));
    await fail('in_old', NOW.minus({ days: 40 }));
    await plan('in_2', 'pay', NOW.plus({ days: 2 }));
    await refreshFailures(opened.database);
    const month = NOW.startOf('month');
    const dimensions = ['all', 'failed', 'reason', 'brand', 'country', 'plan'] as const;
    const sums = await sumMonths(
      opened.database,
      { from: month, to: month.plus({ months: 1 }) },
      { zone: 'utc', now: NOW, factors: {}, dimensions },
    );
    for (const dimension of dimensions)
      expect(
        sums.filter((sum) => sum.dimension === dimension).reduce((all, { amount }) => all + amount, 0),
      ).toBe(4000);
    const standings = (await sumUnpaid(opened.database, { usd: '0.5' })).map(
      ({ standing, invoices, amount }) => [standing, invoices, amount],
    );
    expect(standings.sort()).toEqual([
      ['retry', 1, 1000],
      ['waiting', 2, 2000],
    ]);
    const due = { dueBefore: NOW.plus({ days: 7 }).toISO() ?? '', nextKind: 'pay' };
    expect(await sumListed(opened.database, due)).toMatchObject([{ invoices: 1, amount: 2000 }]);
    expect(await sumListed(opened.database, { ...due, dueBefore: NOW.toISO() ?? '' })).toEqual([]);
  });

  test('an invoice is found by the beginning of a name, of an address or of an id, and by nothing else', async () => {
    await keepPayer(opened.database, 'own', {
      customer: { id: 'cus_in_1', name: `Zoë ${EVIL}`, email: 'zoe.miller@example.com' },
      plans: [],
    });
    const owner = { account: 'own', customerId: 'cus_in_1' };
    await keepCards(opened.database, owner, [{ id: 'pm_in_1', last4: '4242', country: 'DE' }]);
    await fail('in_1', NOW);
    await fail('in_2', NOW);
    for (const search of ['zoë', 'MILL', 'zoe.miller@exam', 'in_1', 'cus_in_1', 'sub_in_1'])
      expect([search, await ids({ search })]).toEqual([search, ['in_1']]);
    for (const search of ['iller', 'zoë smith', "' or 1=1 --"])
      expect([search, await ids({ search })]).toEqual([search, []]);
    expect(await list({ country: 'DE' })).toMatchObject([
      { invoiceId: 'in_1', last4: '4242', customerEmail: 'zoe.miller@example.com' },
    ]);
    expect(await ids({ country: '' })).toEqual(['in_2']);
  });

  test('of the invoices and customers of a word that thousands have, the latest come first', async () => {
    await opened.database.query(
      `insert into payment_retry.failures (account, invoice_id, customer_id, currency, amount, state, failed_at, attempts, words)
       select 'own', 'in_' || i, 'cus_' || i, 'usd', 100, 'open', $1::timestamptz + i * interval '1 second', 1,
         to_tsvector('simple', 'ada in ' || i) from generate_series(1, 5100) i`,
      [NOW.toISO()],
    );
    const latest = ['in_5100', 'in_5099', 'in_5098'];
    const page = { sort: 'failed', limit: 3 } as const;
    const invoices = await listFailures(opened.database, { search: 'ada' }, page);
    expect(invoices.map(({ invoiceId }) => invoiceId)).toEqual(latest);
    const customers = await listCustomers(opened.database, { search: 'ada', isOpen: true }, page);
    expect(customers.map(({ customerId }) => customerId)).toEqual(['cus_5100', 'cus_5099', 'cus_5098']);
    const after = { key: NOW.plus({ seconds: 5098 }).toJSDate().toISOString(), invoiceId: 'cus_5098' };
    const rest = await listCustomers(opened.database, { search: 'ada' }, { limit: 1, after });
    expect(rest.map(({ customerId }) => customerId)).toEqual(['cus_5097']);
    await opened.clear();
  });

  test('a list is read page by page, each invoice once, also where times and amounts are equal', async () => {
    for (const id of ['in_1', 'in_2', 'in_3', 'in_4', 'in_5']) {
      await fail(id, NOW.minus({ days: id === 'in_5' ? 1 : 0 }));
      await plan(id, 'pay', NOW.plus({ days: id === 'in_3' ? 1 : 2 }));
    }
    await refreshFailures(opened.database);
    for (const [sort, expected] of [
      ['failed', ['in_1', 'in_2', 'in_3', 'in_4', 'in_5']],
      ['amount', ['in_1', 'in_2', 'in_3', 'in_4', 'in_5']],
      ['next', ['in_3', 'in_1', 'in_2', 'in_4', 'in_5']],
    ] as const) {
      const seen: string[] = [];
      for (
        let page = await listFailures(opened.database, { currencies: ['usd'] }, { sort, limit: 2 });
        page.length > 0;
      ) {
        seen.push(...page.map(({ invoiceId }) => invoiceId));
        const [last] = page.slice(-1);
        const after = last && placeOf(last, sort);
        page = await listFailures(opened.database, { currencies: ['usd'] }, { sort, limit: 2, after });
      }
      expect([sort, seen]).toEqual([sort, expected]);
    }
  });

  test('every order is read page by page both ways, and is the same as the whole', async () => {
    const pick = (values: readonly (string | null)[], by: number) =>
      `(array[${values.map((value) => (value === null ? 'null' : `'${value}'`)).join()}]::text[])[1 + i / ${by} % ${values.length}]`;
    await opened.database.query(
      `insert into payment_retry.failures (account, invoice_id, customer_id, currency, amount, state, failed_at, attempts, words, reason,
         brand, next_kind, next_at, need, asked_at)
       select 'own', 'in_' || lpad(i::text, 2, '0'), 'cus_' || i, ${pick(['usd', 'eur', 'jpy', 'chf'], 1)}, 100 + i % 7 * 50,
         ${pick(['open', 'open', 'recovered', 'lost'], 2)}, $1::timestamptz + i / 3 * interval '1 hour', 1, '',
         ${pick(['lost_card', null, 'do_not_honor'], 5)}, ${pick(['visa', 'amex', null], 4)},
         case when i % 5 = 0 then 'pay' end, case when i % 5 = 0 then $1::timestamptz + i / 10 * interval '1 day' end,
         case when i % 11 = 0 then 'stopped' end, case when i % 3 = 0 then $1::timestamptz end
       from generate_series(1, 60) i`,
      [NOW.toISO()],
    );
    const worth: CurrencyWorth[] = [
      { currency: 'usd', group: '', factor: '1' },
      { currency: 'eur', group: '', factor: '1.1' },
      { currency: 'jpy', group: '', factor: '0.65' },
      { currency: 'chf', group: 'chf', factor: '1' },
    ];
    for (const filter of [{}, { reason: 'lost_card' }, { currency: 'eur' }])
      for (const sort of FAILURE_SORTS) {
        const page = { sort, worth };
        const whole = await listFailures(opened.database, filter, { ...page, limit: 100 });
        const found = whole.map(({ invoiceId }) => invoiceId);
        expect(new Set(found).size).toBe(found.length);
        if (sort !== 'next') expect(found).toHaveLength(await count(filter));
        const seen: string[] = [];
        let after: ReturnType<typeof placeOf> | undefined;
        do {
          const rows = await listFailures(opened.database, filter, { ...page, limit: 7, after });
          seen.push(...rows.map(({ invoiceId }) => invoiceId));
          const last = rows.at(-1);
          after = last && placeOf(last, sort);
          if (after) expect([sort, after.key, isPlaceKey(sort, after.key)]).toEqual([sort, after.key, true]);
        } while (after);
        expect([sort, seen]).toEqual([sort, found]);
      }
    // 400 euro cents are worth most; what has no rate comes last.
    const byAmount = await listFailures(opened.database, {}, { sort: 'amount', worth, limit: 100 });
    expect(byAmount[0]).toMatchObject({ currency: 'eur', amount: 400 });
    expect(byAmount.at(-1)).toMatchObject({ currency: 'chf', amount: 100 });
  });

  const count = async (filter: FailureFilter) =>
    (await sumListed(opened.database, filter))?.reduce((all, { invoices }) => all + invoices, 0) ?? -1;
});
