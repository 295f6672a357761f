/** Months that are over are added up once, and stay true. */
import { DateTime } from 'luxon';
import {
  type MonthDimension,
  type MonthSum,
  sumAllListed,
  sumMonths,
} from '../../../../../src/plugin/store/reports/money/failure-months.ts';
import {
  type FailureFilter,
  sumListed,
} from '../../../../../src/plugin/store/reports/money/list-failures.ts';
import { refreshFailures } from '../../../../../src/plugin/store/reports/money/refresh-failures.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';
import { insertFailedInvoice } from '../../../operator/console/failure-rows.ts';

const ZONE = 'America/New_York';
const NOW = DateTime.fromISO('2026-03-10T10:00:00', { zone: ZONE });
/** An euro cent is 1.0834 cents, so that rounding each invoice shows. */
const asked = { zone: ZONE, now: NOW, factors: { eur: '1.0834', usd: '1' } };
const dimensions: readonly MonthDimension[] = [
  ...(['all', 'reason', 'brand', 'country', 'plan', 'failed', 'paid', 'recovered'] as const),
];
const everything = { ...asked, dimensions };
const ofAll = (sums: readonly MonthSum[]) => sums.filter(({ dimension }) => dimension === 'all');
const YEAR = { from: NOW.minus({ years: 1 }).startOf('month'), to: NOW.plus({ months: 1 }).startOf('month') };

describe.each(ENGINES)('the months of failed payments on $engine', (engine) => {
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
  const counts = (sums: readonly MonthSum[]) =>
    sums
      .filter(({ dimension }) => ['all', 'recovered', 'paid'].includes(dimension))
      .map(({ month, dimension, state, invoices }) => `${month} ${dimension} ${state} ${invoices}`)
      .sort();
  const kept = async () => {
    const rows = await opened.database.query<{ startsAt: DateTime<true> }>(
      'select starts_at from payment_retry.failure_months order by 1',
    );
    return rows.map(({ startsAt }) => startsAt.setZone(ZONE).toFormat('yyyy-MM'));
  };

  if (engine.engine === 'postgres')
    test('the sums of a month of which a failure is being changed are read from the failures, wait for nobody, and are not kept', async () => {
      const { database } = opened;
      await insertFailedInvoice(database, { id: 'in_1', at: DateTime.fromISO('2025-12-30T12:00:00Z') });
      await refreshFailures(database);
      await database.transaction(async (tx) => {
        await tx.query(`update payment_retry.failures set amount = 1`);
        expect(ofAll(await sumMonths(database, YEAR, everything))).toMatchObject([{ amount: 2000 }]);
      });
      expect(await database.query('select 1 as one from payment_retry.failure_months')).toEqual([]);
      expect(ofAll(await sumMonths(database, YEAR, everything))).toMatchObject([{ amount: 1 }]);
    });

  test('all that ever failed comes to the same from the kept months as from each failure', async () => {
    const { database } = opened;
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
    const each = await sumListed(database, {}, asked.factors);
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
        { standing: 'recovered' },
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
        { currencies: ['eur'], country: 'DE', standing: 'recovered' } as const,
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
        await sumListed(database, filter, asked.factors),
      ]);
  });

  test('each month of the merchant’s zone that has begun is added up, and no later one', async () => {
    // Still January in New York.
    await fail('in_1', DateTime.fromISO('2026-02-01T04:30:00Z'), DateTime.fromISO('2026-02-03T12:00:00Z'));
    await fail('in_2', DateTime.fromISO('2026-02-01T05:30:00Z'));
    await fail('in_3', NOW);
    expect(counts(await sumMonths(opened.database, YEAR, everything))).toEqual([
      '2026-01 all recovered 1',
      '2026-02 all open 1',
      '2026-02 recovered recovered 1',
      '2026-03 all open 1',
    ]);
    const days = (await sumMonths(opened.database, YEAR, { ...asked, dimensions: ['failed'] })).map(
      ({ value }) => value,
    );
    expect(days.sort()).toEqual(['2026-01-31', '2026-02-01', '2026-03-10']);
    expect(await sumAllListed(opened.database, {}, asked)).toEqual(
      await sumListed(opened.database, {}, asked.factors),
    );
    expect(await kept()).toEqual([
      ...Array.from({ length: 13 }, (_, index) => YEAR.from.plus({ months: index }).toFormat('yyyy-MM')),
    ]);
  });

  test('kept sums are those of the failures themselves, by each dimension and day', async () => {
    for (let index = 0; index < 12; index += 1) {
      const at = YEAR.from.plus({ days: 20 + index * 30 });
      const paid = index % 3 === 0 ? { paidAt: at.plus({ days: 12 }) } : {};
      await insertFailedInvoice(opened.database, { id: `in_${index}`, at, ...paid });
    }
    await refreshFailures(opened.database);
    const order = (sums: readonly MonthSum[]) =>
      sums.map((sum) => JSON.stringify(Object.entries(sum).sort())).sort();
    const first = await sumMonths(opened.database, YEAR, everything);
    const again = await sumMonths(opened.database, YEAR, everything);
    /** Read from each failure. */
    const live = () =>
      opened.database.query<MonthSum>(
        `select to_char(m at time zone $1, 'YYYY-MM') as month, s.dimension, s.value, s.currency, s.state, s.invoices, s.amount, s.disputes, s.disputed
         from generate_series($2::timestamptz at time zone $1, $3::timestamptz at time zone $1 - interval '1 day', interval '1 month') local
         cross join lateral (select local at time zone $1 as m) at
         cross join lateral payment_retry.sum_month($1, $4, m, (local + interval '1 month') at time zone $1) s`,
        [ZONE, YEAR.from, YEAR.to, JSON.stringify(asked.factors)],
      );
    expect(order(first)).toEqual(order(await live()));
    expect(order(again)).toEqual(order(first));
    expect(ofAll(first).reduce((all, { invoices }) => all + invoices, 0)).toBe(12);
    // Whatever becomes of failures and of months, the sums follow.
    for (const change of [
      `amount = amount + 7, reason = 'lost_card'`,
      `currency = 'eur' where invoice_id < 'in_5'`,
      `state = 'recovered', cause = 'retry', ended_at = failed_at + interval '40 days' where state = 'open'`,
      `returned = 300, country = null where state = 'recovered'`,
      `disputed = 99 where state = 'recovered'`,
      `failed_at = failed_at + interval '20 days' where currency = 'usd'`,
      `state = 'open', cause = null, ended_at = null, next_kind = 'pay'`,
    ]) {
      await opened.database.query(`update payment_retry.failures set ${change}`);
      const now = await sumMonths(opened.database, YEAR, everything);
      expect([change, order(now)]).toEqual([change, order(await live())]);
    }
    expect(await kept()).toHaveLength(13);
  });

  test('each amount is converted and rounded before it is added, so that months add up to their total', async () => {
    for (const [id, month] of [
      ['in_1', 1],
      ['in_2', 1],
      ['in_3', 2],
    ] as const) {
      const at = DateTime.fromISO(`2026-0${month}-10T12:00:00Z`);
      await insertFailedInvoice(opened.database, { id, at, amount: 2490, currency: 'eur' });
    }
    await refreshFailures(opened.database);
    const months = ofAll(await sumMonths(opened.database, YEAR, everything));
    // Each is 2697.666 cents; three of them are 8093 cents once added.
    expect(months.map(({ month, amount }) => [month, amount]).sort()).toEqual([
      ['2026-01', 5396],
      ['2026-02', 2698],
    ]);
    expect(await sumAllListed(opened.database, {}, asked)).toMatchObject([{ invoices: 3, amount: 8094 }]);
  });

  test('what changes a failure changes the sums of the months where it began and ended', async () => {
    const december = DateTime.fromISO('2025-12-30T12:00:00Z');
    await fail('in_1', december, december.plus({ days: 5 }));
    const read = async () => counts(await sumMonths(opened.database, YEAR, everything));
    const recovered = ['2025-12 all recovered 1', '2026-01 recovered recovered 1'];
    expect(await read()).toEqual(recovered);
    await fail('in_2', december);
    expect(await read()).toEqual(['2025-12 all open 1', ...recovered]);
    await opened.database.query(`update payment_retry.attempts set refunded = 2000 where outcome = 'paid'`);
    await refreshFailures(opened.database);
    const [back] = (await sumMonths(opened.database, YEAR, everything)).filter(
      ({ dimension }) => dimension === 'recovered',
    );
    expect(back).toMatchObject({ amount: 0, invoices: 1 });
    await opened.database.query('delete from payment_retry.failures');
    expect(await read()).toEqual([]);
    expect(await kept()).toHaveLength(13);
  });

  test('the sums of another zone or other rates go with the first month of the new ones', async () => {
    await fail('in_1', DateTime.fromISO('2026-01-10T12:00:00Z'));
    await sumMonths(opened.database, YEAR, everything);
    const read = () =>
      opened.database.query<{ zone: string; rate: string }>(
        `select distinct zone, rates->>'usd' as rate from payment_retry.failure_months`,
      );
    await sumMonths(opened.database, YEAR, { ...everything, zone: 'utc' });
    expect(await read()).toEqual([{ zone: 'utc', rate: '1' }]);
    const halved = { ...everything, zone: 'utc', factors: { usd: '0.5' } };
    expect(ofAll(await sumMonths(opened.database, YEAR, halved))).toMatchObject([{ amount: 1000 }]);
    expect(await read()).toEqual([{ zone: 'utc', rate: '0.5' }]);
  });
});
