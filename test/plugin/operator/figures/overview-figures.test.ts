/** The money of the overview, from sums made by hand. */
import { DateTime } from 'luxon';
import { addUp, listCurrencyRows, toWorth } from '../../../../src/plugin/operator/figures/exchange.ts';
import { listFigures, nameRow, sumFigures } from '../../../../src/plugin/operator/figures/list-figures.ts';
import { type MoneyFacts, spansOf } from '../../../../src/plugin/operator/figures/money-facts.ts';
import type { FailedSum } from '../../../../src/plugin/store/reports/money/failure-months.ts';

const NOW = DateTime.fromISO('2026-11-20T10:00:00Z', { zone: 'utc' });
const RATES = {
  currency: 'usd',
  rates: new Map([
    ['eur', 1.1],
    ['jpy', 0.007],
  ]),
};
const ROW = { currency: 'usd', currencies: new Set(['usd', 'eur']) };

const NO_DISPUTES = { disputes: 0, disputed: 0 };
const failed = (
  state: FailedSum['state'],
  [invoices, amount, returned = 0]: readonly number[],
  changes: Partial<FailedSum> = {},
): FailedSum => ({
  dimension: 'all',
  value: null,
  currency: 'usd',
  state,
  invoices: invoices ?? 0,
  amount: amount ?? 0,
  returned,
  ...NO_DISPUTES,
  ...changes,
});
const back = (amount: number, returned: number, currency = 'usd') => ({
  day: '2026-11-03',
  cause: 'retry' as const,
  currency,
  invoices: 1,
  amount,
  returned,
  ...NO_DISPUTES,
});
const unpaid = (invoices: number, amount: number, currency = 'usd') => ({
  currency,
  state: 'open' as const,
  invoices,
  amount,
  returned: 0,
  ...NO_DISPUTES,
});

function factsOf(changes: Partial<MoneyFacts> = {}): MoneyFacts {
  return {
    range: 'month',
    isGross: false,
    currency: undefined,
    rates: RATES,
    zone: 'UTC',
    ...spansOf('month', NOW, 'UTC'),
    sums: {
      failed: [
        failed('open', [3, 3000]),
        failed('waiting', [1, 500]),
        failed('recovered', [2, 900, 100]),
        failed('lost', [1, 200]),
        failed('open', [1, 1000], { currency: 'eur' }),
        failed('open', [7, 7000], { currency: 'gbp' }),
        failed('open', [9, 9000], { dimension: 'reason', value: 'lost_card' }),
      ],
      back: [back(1500, 300), back(1000, 0, 'eur'), back(5000, 0, 'gbp')],
    },
    sumsBefore: {
      failed: [
        failed('open', [2, 400]),
        failed('waiting', [1, 100]),
        failed('recovered', [4, 2000, 500]),
        failed('lost', [1, 500]),
      ],
      back: [],
    },
    backBefore: [back(1000, 200)],
    renewals: [
      { currency: 'usd', invoices: 1192, amount: 0 },
      { currency: 'gbp', invoices: 5, amount: 0 },
    ],
    unpaid: [unpaid(4, 4000), unpaid(2, 1000, 'eur'), unpaid(9, 9000, 'gbp')],
    needs: [
      { need: 'undecided', currency: 'usd', invoices: 2, amount: 700 },
      { need: 'undecided', currency: 'gbp', invoices: 5, amount: 1 },
    ],
    due: [],
    months: [],
    paidAfter: [],
    paidAfterBefore: [],
    plans: new Map(),
    rows: [ROW],
    span12: { from: NOW, to: NOW },
    row: ROW,
    ...changes,
  };
}

const FIGURES = {
  currency: 'usd',
  currencies: ['eur', 'usd'],
  cameBack: 2300,
  cameBackBefore: 800,
  failed: { invoices: 8, amount: 5700, renewals: 1198 },
  failedBefore: { amount: 3000, back: 1500, open: 500, lost: 500 },
  atRisk: { invoices: 6, amount: 5100 },
  needYou: { invoices: 2, amount: 700 },
};

test('each figure of the overview is the sum of its currencies, net of what was given back', () => {
  expect(sumFigures(factsOf(), ROW)).toEqual(FIGURES);
  expect(sumFigures(factsOf({ isGross: true }), ROW)).toEqual({
    ...FIGURES,
    cameBack: 2600,
    cameBackBefore: 1000,
    failedBefore: { ...FIGURES.failedBefore, back: 2000 },
  });
  const few = [{ currency: 'usd', invoices: 1, amount: 0 }];
  const renewalsOf = (renewals: MoneyFacts['renewals'], sums = factsOf().sums) =>
    sumFigures(factsOf({ renewals, sums }), ROW).failed.renewals;
  expect(renewalsOf([])).toBeNull();
  expect(renewalsOf(few)).toBe(8);
});

test('the figures are told in words', () => {
  const expected = [
    ['Came back this month', '$23.00', '+188 % against the same days of last month, $8.00', 'good'],
    ['Failed this month', '0.7 %', '8 of 1,198 renewals, $57.00', undefined],
    ['Failed last month, since back', '50.0 %', '$15.00 back, $5.00 open, $5.00 lost', undefined],
    ['At risk now', '$51.00', '6 invoices unpaid, whenever they failed', undefined],
    ['Need you', '2', '$7.00 hangs on them', 'warn'],
  ];
  const told = (facts: MoneyFacts) =>
    listFigures(facts, ROW, 'en-US').map(({ name, value, text, tone }) => [name, value, text, tone]);
  expect(told(factsOf())).toEqual(expected);
  expect(listFigures(factsOf(), ROW, 'en-US').map(({ filter }) => filter)).toEqual([
    { state: 'back', ended_from: '2026-11-01', ended_to: '2026-12-01', zone: 'UTC' },
    { from: '2026-11-01', to: '2026-12-01', zone: 'UTC' },
    { from: '2026-10-01', to: '2026-11-01', zone: 'UTC' },
    { state: 'unpaid' },
    undefined,
  ]);
  const nothing = { failed: [], back: [] };
  const quiet = factsOf({
    sums: { failed: [failed('open', [1, 5])], back: [] },
    sumsBefore: nothing,
    backBefore: [],
    renewals: [],
    unpaid: [unpaid(1, 5)],
    needs: [],
  });
  expect(told(quiet)).toEqual([
    ['Came back this month', '$0.00', 'nothing on the same days of last month', 'good'],
    ['Failed this month', '$0.05', '1 invoice', undefined],
    ['Failed last month, since back', '–', 'nothing failed', undefined],
    ['At risk now', '$0.05', '1 invoice unpaid, whenever they failed', undefined],
    ['Need you', '0', 'nothing waits for a person', undefined],
  ]);
  const less = factsOf({
    backBefore: [back(3000, 0)],
    needs: [{ need: 'undecided', currency: 'usd', invoices: 1, amount: 5 }],
  });
  expect([told(less)[0]?.[2], told(less)[4]?.[2]]).toEqual([
    '−23 % against the same days of last month, $30.00',
    '$0.05 hangs on it',
  ]);
});

test('currencies with a rate are one row, the others one each, the one with the most invoices first', () => {
  const sum = (currency: string, invoices: number) => ({ currency, invoices });
  const sums = [sum('gbp', 2), sum('eur', 1), sum('chf', 3), sum('usd', 1), sum('gbp', 2)];
  const rows = (rates: Parameters<typeof listCurrencyRows>[0], some = sums) =>
    listCurrencyRows(rates, some).map(nameRow);
  expect(rows(RATES)).toEqual(['USD, with EUR', 'GBP', 'CHF']);
  expect(rows({ currency: undefined, rates: new Map() })).toEqual(['GBP', 'CHF', 'EUR', 'USD']);
  expect(rows(RATES, [sum('gbp', 1)])).toEqual(['GBP']);
  expect(listCurrencyRows(RATES, [sum('gbp', 1)])).toEqual([
    { currency: 'gbp', currencies: new Set(['gbp']) },
  ]);
  expect(rows(RATES, [sum('jpy', 2), sum('eur', 1)])).toEqual(['USD, with EUR and JPY']);
});

test('an amount is added up by its rate and its digits, and compared by the same', () => {
  const yen = { currency: 'jpy', amount: 1000 };
  expect(
    addUp(
      [{ currency: 'usd', amount: 5 }, yen, { currency: 'eur', amount: 100 }, { currency: 'gbp', amount: 9 }],
      'usd',
      RATES,
    ),
  ).toBe(815);
  expect(addUp([yen], 'jpy', RATES)).toBe(1000);
  expect(['usd', 'eur', 'jpy', 'gbp'].map((currency) => toWorth(RATES, currency))).toEqual([
    { currency: 'usd', group: '', factor: '1.000000000000' },
    { currency: 'eur', group: '', factor: '1.100000000000' },
    { currency: 'jpy', group: '', factor: '0.700000000000' },
    { currency: 'gbp', group: 'gbp', factor: '1' },
  ]);
  expect(toWorth({ ...RATES, currency: undefined }, 'eur')).toEqual({
    currency: 'eur',
    group: 'eur',
    factor: '1',
  });
});
