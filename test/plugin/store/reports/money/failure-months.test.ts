/** Months that are over are added up once, and stay true. */
import { DateTime } from 'luxon';
import {
  addUpCounters,
  readCounters,
  sumRenewals,
} from '../../../../../src/plugin/store/reports/counters.ts';
import {
  countPaidAfter,
  type SpanSums,
  sumAllListed,
  sumMonths,
  sumSpan,
} from '../../../../../src/plugin/store/reports/money/failure-months.ts';
import {
  type FailureFilter,
  sumListed,
} from '../../../../../src/plugin/store/reports/money/list-failures.ts';
import { refreshFailures } from '../../../../../src/plugin/store/reports/money/refresh-failures.ts';
import {
  EVERY_ENGINE,
  MAIN,
  onPostgres,
  openTestDatabase,
  type TestDatabase,
} from '../../../../support/database/databases.ts';
import { upsertInvoice } from '../../../../support/database/mirror-rows.ts';
import { insertFailedInvoice } from '../../../operator/console/failure-rows.ts';

const ZONE = 'America/New_York';
const NOW = DateTime.fromISO('2026-03-10T10:00:00', { zone: ZONE });
const asked = { zone: ZONE, now: NOW };
const YEAR = { from: NOW.minus({ years: 1 }).startOf('month'), to: NOW.plus({ months: 1 }).startOf('month') };

test('all that ever failed comes to the same from the kept months as from each failure', async () => {
  const opened = await openTestDatabase(MAIN);
  const { database } = opened;
  try {
    expect(await sumAllListed(database, {}, asked)).toEqual([]);
    const days = [1, 2, 40, 100, 300, 500, 700];
    for (const [index, day] of days.entries()) {
      const at = NOW.minus({ days: day });
      const more = { amount: 1000 + index, currency: index % 3 === 0 ? 'eur' : 'usd' };
      await insertFailedInvoice(database, {
        id: `in_${day}`,
        at,
        ...more,
        ...(index % 2 === 0 ? {} : { paidAt: at.plus({ hours: 5 }) }),
      });
    }
    await refreshFailures(database);
    const each = await sumListed(database, {});
    expect(each?.map(({ invoices }) => invoices)).toEqual([4, 3]);
    expect(await sumAllListed(database, {}, asked)).toEqual(each);
    expect(await database.query('select 1 as one from payment_retry.failure_months')).not.toHaveLength(0);
    // Again, from what is kept; and after one has changed.
    expect(await sumAllListed(database, {}, asked)).toEqual(each);
    await database.query(`update payment_retry.failures set amount = 7 where invoice_id = 'in_300'`);
    const part = { from: NOW.minus({ days: 310 }).toISO() ?? '', to: NOW.minus({ days: 50 }).toISO() ?? '' };
    const filters: FailureFilter[] = [
      ...([
        {},
        part,
        { standing: 'back' },
        { standing: 'lost' },
        { standing: 'unpaid' },
        { standing: 'asked' },
      ] as const),
      ...[
        { reason: 'insufficient_funds' },
        { reason: 'never_seen' },
        { reason: '' },
        { plan: '' },
        { brand: 'visa' },
      ],
      ...[
        { currencies: ['eur'] },
        { currencies: ['eur'], country: 'DE', standing: 'back' } as const,
        { ...part, brand: 'visa' },
      ],
      ...[
        { brand: 'visa', country: 'DE' },
        { customer: 'cus_in_300' },
        { search: 'ada' },
        { search: 'in_300' },
      ],
    ];
    for (const filter of filters)
      expect([filter, await sumAllListed(database, filter, asked)]).toEqual([
        filter,
        await sumListed(database, filter),
      ]);
  } finally {
    await opened.close();
  }
});

onPostgres('while a failure of a month that is over is being changed', (engine) => {
  test('its sums are read from the failures, wait for nobody, and are not kept', async () => {
    const opened = await openTestDatabase(engine);
    const { database } = opened;
    try {
      await insertFailedInvoice(database, { id: 'in_1', at: DateTime.fromISO('2025-12-30T12:00:00Z') });
      await refreshFailures(database);
      await database.transaction(async (tx) => {
        await tx.query(`update payment_retry.failures set amount = 1`);
        const { failed } = await sumSpan(database, YEAR, asked);
        expect(failed.find(({ dimension }) => dimension === 'all')).toMatchObject({ amount: 2000 });
      });
      expect(await database.query('select 1 as one from payment_retry.failure_months')).toEqual([]);
      const { failed } = await sumSpan(database, YEAR, asked);
      expect(failed.find(({ dimension }) => dimension === 'all')).toMatchObject({ amount: 1 });
    } finally {
      await opened.close();
    }
  });
});

describe.each(EVERY_ENGINE)('the months of failed payments on $engine', (engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
  });
  beforeEach(() => opened.clear());
  afterAll(() => opened.close());

  const fail = async (id: string, at: DateTime, paidAt?: DateTime) => {
    await insertFailedInvoice(opened.database, { id, at, ...(paidAt ? { paidAt } : {}) });
    await refreshFailures(opened.database);
  };
  const counts = ({ failed, back }: SpanSums) => ({
    failed: failed
      .filter(({ dimension }) => dimension === 'all')
      .map(({ state, invoices }) => `${state} ${invoices}`),
    back: back.map(({ day, invoices }) => `${day} ${invoices}`),
  });
  const kept = async () => {
    const rows = await opened.database.query<{ startsAt: DateTime<true> }>(
      'select starts_at from payment_retry.failure_months order by 1',
    );
    return rows.map(({ startsAt }) => startsAt.setZone(ZONE).toFormat('yyyy-MM'));
  };

  test('each month of the merchant’s zone that has begun is added up, and no later one', async () => {
    // Still January in New York.
    await fail('in_1', DateTime.fromISO('2026-02-01T04:30:00Z'), DateTime.fromISO('2026-02-03T12:00:00Z'));
    await fail('in_2', DateTime.fromISO('2026-02-01T05:30:00Z'));
    await fail('in_3', NOW);
    const months = await sumMonths(opened.database, YEAR, asked);
    expect(months.map(({ month, state, invoices }) => `${month} ${state} ${invoices}`).sort()).toEqual([
      '2026-01 recovered 1',
      '2026-02 waiting 1',
      '2026-03 waiting 1',
    ]);
    expect(await sumAllListed(opened.database, {}, asked)).toEqual(await sumListed(opened.database, {}));
    expect(await kept()).toEqual([
      ...Array.from({ length: 13 }, (_, index) => YEAR.from.plus({ months: index }).toFormat('yyyy-MM')),
    ]);
  });

  test('kept sums are those of the failures themselves, by each dimension and day', async () => {
    for (let index = 0; index < 12; index += 1) {
      const at = YEAR.from.plus({ days: 20 + index * 30 });
      await fail(`in_${index}`, at, index % 3 === 0 ? at.plus({ days: 12 }) : undefined);
    }
    const order = ({ failed, back }: SpanSums) => {
      const sums = new Map<string, number>();
      for (const { invoices, amount, returned, ...of } of [...failed, ...back]) {
        const key = JSON.stringify(Object.entries(of).sort());
        sums.set(key, (sums.get(key) ?? 0) + invoices * 1e9 + amount * 1e3 + returned);
      }
      return Object.fromEntries(sums);
    };
    const first = await sumSpan(opened.database, YEAR, asked);
    const again = await sumSpan(opened.database, YEAR, asked);
    // Of a time so early no month has begun, and all is read from the failures.
    const early = { zone: ZONE, now: YEAR.from.minus({ months: 2 }) };
    const live = await sumSpan(opened.database, YEAR, early);
    expect(order(first)).toEqual(order(live));
    expect(order(again)).toEqual(order(live));
    expect(counts(live).failed.sort()).toEqual(['recovered 4', 'waiting 8']);
    // Whatever becomes of failures and of months, the sums follow.
    for (const change of [
      `amount = amount + 7, reason = 'lost_card'`,
      `state = 'recovered', cause = 'retry', ended_at = failed_at + interval '40 days' where state = 'open'`,
      `returned = 300, country = null where state = 'recovered'`,
      `failed_at = failed_at + interval '20 days' where currency = 'usd'`,
      `state = 'open', cause = null, ended_at = null, next_kind = 'pay'`,
    ]) {
      await opened.database.query(`update payment_retry.failures set ${change}`);
      const now = await sumSpan(opened.database, YEAR, asked);
      expect([change, order(now)]).toEqual([change, order(await sumSpan(opened.database, YEAR, early))]);
    }
    expect(await kept()).toHaveLength(13);
  });

  test('what changes a failure changes the sums of the months where it began and ended', async () => {
    const december = DateTime.fromISO('2025-12-30T12:00:00Z');
    await fail('in_1', december, december.plus({ days: 5 }));
    const read = async () => counts(await sumSpan(opened.database, YEAR, asked));
    expect(await read()).toEqual({ failed: ['recovered 1'], back: ['2026-01-04 1'] });
    await fail('in_2', december);
    expect((await read()).failed.sort()).toEqual(['recovered 1', 'waiting 1']);
    await opened.database.query(`update payment_retry.attempts set refunded = 2000 where outcome = 'paid'`);
    await refreshFailures(opened.database);
    const { back } = await sumSpan(opened.database, YEAR, asked);
    expect(back).toMatchObject([{ amount: 2000, returned: 2000 }]);
    await opened.database.query('delete from payment_retry.failures');
    expect(await read()).toEqual({ failed: [], back: [] });
    expect(await kept()).toHaveLength(13);
  });

  test('the sums of another zone go with the first month of the new one', async () => {
    await fail('in_1', DateTime.fromISO('2026-01-10T12:00:00Z'));
    await sumSpan(opened.database, YEAR, asked);
    await sumSpan(opened.database, YEAR, { zone: 'utc', now: NOW });
    const zones =
      'select distinct zone from payment_retry.failure_month_sums union select zone from payment_retry.failure_months';
    expect(await opened.database.query(zones)).toEqual([{ zone: 'utc' }]);
  });

  test('a begun day counts as a whole one until a failure is paid', async () => {
    const at = DateTime.fromISO('2026-03-02T15:00:00Z');
    const from = NOW.setZone(ZONE).startOf('month');
    const march = { from, to: from.plus({ months: 1 }) };
    await fail('in_1', at, at.plus({ hours: 25 }));
    await fail('in_2', at, at.plus({ hours: 1 }));
    await fail('in_3', at);
    const found = await countPaidAfter(opened.database, march, asked);
    expect(found.map(({ day, days, invoices }) => [day, days, invoices]).sort()).toEqual(
      [
        ['2026-03-02', 1, 1],
        ['2026-03-02', 2, 1],
        ['2026-03-02', null, 1],
      ].sort(),
    );
  });

  test('every renewal that was paid counts on the day of its invoice, once, and is no metric', async () => {
    const invoice = (id: string, status: string, more = {}) =>
      upsertInvoice(opened.database, {
        account: 'own',
        id,
        customerId: 'cus_1',
        subscriptionId: 'sub_1',
        status,
        amountRemaining: 0,
        currency: 'usd',
        attemptCount: 1,
        isFirst: false,
        nextAttemptAt: undefined,
        versionSource: 'event' as const,
        message: { amount: 2000, createdAt: '2026-03-02T10:00:00Z' },
        version: NOW.plus({ minutes: status === 'paid' ? 5 : 0 }),
        ...more,
      });
    await invoice('in_1', 'paid');
    await invoice('in_1', 'paid', { version: NOW.plus({ hours: 1 }) });
    await invoice('in_2', 'open');
    await invoice('in_2', 'paid');
    await invoice('in_open', 'open');
    await invoice('in_one_off', 'paid', { subscriptionId: undefined });
    await invoice('in_first', 'paid', { isFirst: true });
    await invoice('in_begun', 'open', { isFirst: true });
    await invoice('in_begun', 'paid', { isFirst: true });
    await invoice('in_free', 'paid', { message: { amount: 0, createdAt: '2026-03-02T10:00:00Z' } });
    await invoice('in_later', 'paid', { message: { amount: 500, createdAt: '2026-03-03T00:00:00Z' } });
    const read = () => sumRenewals(opened.database, '2026-03-02', '2026-03-03');
    expect(await read()).toEqual([{ currency: 'usd', invoices: 2, amount: 4000 }]);
    await addUpCounters(opened.database);
    expect(await read()).toEqual([{ currency: 'usd', invoices: 2, amount: 4000 }]);
    expect((await readCounters(opened.database)).map(({ name }) => String(name))).not.toContain('renewals');
  });
});
