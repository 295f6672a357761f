/** The figures of the overview, from sums made by hand. */
import { DateTime } from 'luxon';
import {
  addUp,
  listCurrencyRows,
  toFactors,
  toWorth,
} from '../../../../src/plugin/operator/figures/exchange.ts';
import { listFigures, nameRow, sumFigures } from '../../../../src/plugin/operator/figures/list-figures.ts';
import { figuresOf, type MoneyFacts, unpaidOf } from '../../../../src/plugin/operator/figures/money-facts.ts';
import type { MonthSum } from '../../../../src/plugin/store/reports/money/failure-months.ts';

const RATES = {
  currency: 'usd',
  rates: new Map([
    ['eur', 1.1],
    ['jpy', 0.007],
  ]),
};
const ROW = { currency: 'usd', currencies: new Set(['usd', 'eur']) };
const CALM = { disputes: 0, disputed: 0 };

const sum = (
  state: MonthSum['state'],
  [invoices = 0, amount = 0]: readonly number[],
  changes: Partial<MonthSum> = {},
): MonthSum => ({
  month: '2026-10',
  dimension: 'all',
  value: null,
  currency: 'usd',
  state,
  invoices,
  amount,
  ...CALM,
  ...changes,
});

const FROM = DateTime.fromISO('2026-10-01', { zone: 'utc' });
const FACTS: MoneyFacts = {
  month: '2026-10',
  months: ['2026-09', '2026-10'],
  span: { from: FROM, to: FROM.plus({ months: 1 }) },
  currency: undefined,
  rates: RATES,
  zone: 'UTC',
  sums: [
    sum('open', [4, 4000]),
    sum('open', [1, 1100], { currency: 'eur' }),
    sum('open', [7, 7000], { currency: 'gbp' }),
    sum('open', [2, 200], { month: '2026-09' }),
    sum('recovered', [2, 800], { value: 'retry', disputes: 1, disputed: 300 }),
    sum('recovered', [1, 100], { value: 'other_card' }),
    sum('recovered', [1, 50], { value: 'by_itself' }),
    sum('lost', [1, 200]),
    sum('open', [9, 9000], { dimension: 'reason', value: 'lost_card' }),
    sum('recovered', [5, 777], { dimension: 'recovered' }),
  ],
  unpaid: [
    { standing: 'retry', currency: 'usd', invoices: 4, amount: 4000, ...CALM },
    { standing: 'asked', currency: 'eur', invoices: 1, amount: 1100, ...CALM },
    { standing: 'retry', currency: 'gbp', invoices: 7, amount: 7000, ...CALM },
  ],
  needs: [
    { need: 'undecided', currency: 'usd', invoices: 2, amount: 700, ...CALM },
    { need: 'undecided', currency: 'gbp', invoices: 5, amount: 1, ...CALM },
  ],
  rows: [ROW],
  row: ROW,
};

test('failed is recovered, in recovery and lost, and the methods are all that was recovered', () => {
  const { failed, recovered, inRecovery, lost, methods, paid } = figuresOf(FACTS, ROW, '2026-10');
  expect(failed).toMatchObject({ invoices: 10, amount: 6250 });
  expect(recovered).toEqual({ invoices: 4, amount: 950, disputes: 1, disputed: 300 });
  expect(recovered.amount + inRecovery.amount + lost.amount).toBe(failed.amount);
  expect(Object.entries(methods).map(([method, { invoices, amount }]) => [method, invoices, amount])).toEqual(
    [
      ['retry', 3, 900],
      ['new_card', 0, 0],
      ['confirmation', 0, 0],
      ['without_us', 1, 50],
    ],
  );
  expect(paid).toMatchObject({ invoices: 5, amount: 777 });
  expect(figuresOf(FACTS, ROW).failed).toMatchObject({ invoices: 12, amount: 6450 });
  expect(unpaidOf(FACTS, ROW)).toMatchObject({ invoices: 5, amount: 5100 });
  expect(unpaidOf(FACTS, ROW, 'asked')).toMatchObject({ invoices: 1, amount: 1100 });
});

test('the API has the figures of the month and of the present', () => {
  expect(sumFigures(FACTS, ROW)).toMatchObject({
    currency: 'usd',
    currencies: ['eur', 'usd'],
    failed: { invoices: 10 },
    unpaid: { invoices: 5, amount: 5100 },
    needsAttention: { invoices: 2, amount: 700 },
  });
});

test('the figures are described for a terminal', () => {
  const told = (facts: MoneyFacts) =>
    listFigures(facts, ROW, 'en-US').map(({ name, value, text, tone }) => [name, value, text, tone]);
  expect(told(FACTS)).toEqual([
    ['Recovered, October 2026', '$9.50', '4 of 10 failed invoices, $62.50', 'good'],
    ['Recovery rate, October 2026', '15.2%', '40.0% by count', undefined],
    ['Lost, October 2026', '$2.00', '1 invoice', undefined],
    ['In recovery', '$51.00', '5 invoices', undefined],
    ['Needs attention', '$7.00', '2 invoices', 'warn'],
  ]);
  expect(told({ ...FACTS, sums: [], unpaid: [], needs: [] }).map(([, value]) => value)).toEqual([
    '$0.00',
    '–',
    '$0.00',
    '$0.00',
    '$0.00',
  ]);
});

test('currencies with a rate are one row, the others one each, the one with the most invoices first', () => {
  const some = (currency: string, invoices: number) => ({ currency, invoices });
  const sums = [some('gbp', 2), some('eur', 1), some('chf', 3), some('usd', 1), some('gbp', 2)];
  const rows = (rates: Parameters<typeof listCurrencyRows>[0], all = sums) =>
    listCurrencyRows(rates, all).map(nameRow);
  expect(rows(RATES)).toEqual(['USD, with EUR', 'GBP', 'CHF']);
  expect(rows({ currency: undefined, rates: new Map() })).toEqual(['GBP', 'CHF', 'EUR', 'USD']);
  expect(rows(RATES, [some('gbp', 1)])).toEqual(['GBP']);
  expect(rows(RATES, [some('jpy', 2), some('eur', 1)])).toEqual(['USD, with EUR and JPY']);
});

test('an amount is converted by its rate and its digits, and rounded before it is added', () => {
  const yen = { currency: 'jpy', amount: 1000 };
  const euros = { currency: 'eur', amount: 5 };
  expect(
    addUp([{ currency: 'usd', amount: 5 }, yen, euros, { currency: 'gbp', amount: 9 }], 'usd', RATES),
  ).toBe(5 + 700 + 6);
  expect(addUp([euros, euros, euros], 'usd', RATES)).toBe(18);
  expect(['usd', 'eur', 'jpy', 'gbp'].map((currency) => toWorth(RATES, currency))).toEqual([
    { currency: 'usd', group: '', factor: '1.000000000000' },
    { currency: 'eur', group: '', factor: '1.100000000000' },
    { currency: 'jpy', group: '', factor: '0.700000000000' },
    { currency: 'gbp', group: 'gbp', factor: '1' },
  ]);
  expect(toFactors(RATES)).toEqual({ eur: '1.100000000000', jpy: '0.700000000000' });
  const none = { ...RATES, currency: undefined };
  expect(toWorth(none, 'eur')).toEqual({ currency: 'eur', group: 'eur', factor: '1' });
});
