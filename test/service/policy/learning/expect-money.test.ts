/** What planned retries should bring, and what an hour is worth, by hand. */
import type { KeptPromises } from '../../../../src/core/contract/timing-report.ts';
import {
  createOddsTallies,
  MOST_REMEMBERED,
  promise,
  readOdds,
} from '../../../../src/service/policy/learning/calibration.ts';
import { expectMoney, type OpenRetry } from '../../../../src/service/policy/learning/expect-money.ts';
import {
  countHour,
  createHourTallies,
  readHours,
} from '../../../../src/service/policy/learning/hour-factors.ts';

const tallies = createOddsTallies();
const oddsOf = (believed: number) => promise(readOdds(tallies), 'funds', believed);

const open = (customer: string, currency: string, amount: number, believed = 0.2): OpenRetry => ({
  customer,
  currency,
  amount,
  // As they were when the retry was asked for: they are read anew.
  odds: { ...oddsOf(believed), promised: 0.99 },
});

/** Of 500 retries with odds of 20 % chance makes 1.427 points: the root of 2/π × 500 × 20 × 80, by 500. */
const BY_CHANCE = Math.sqrt((2 / Math.PI) * 500 * 20 * 80) / 500;
const kept = (changes: Partial<KeptPromises> = {}): KeptPromises => ({
  retries: 500,
  paid: 100,
  deviation: BY_CHANCE + 1,
  brier: 0.16,
  ranges: [{ from: 15, to: 20, retries: 500, promised: 20, paid: 20 }],
  ...changes,
});

test('what is expected is told for each currency, with invoices of one customer together', () => {
  const [p, q] = [oddsOf(0.2).promised, oddsOf(0.4).promised];
  const retries = [
    open('a', 'usd', 100),
    open('b', 'usd', 50, 0.4),
    open('a', 'usd', 300),
    open('c', 'eur', 70),
  ];
  const [usd, eur, ...none] = expectMoney(retries, tallies, kept());
  expect(none).toEqual([]);
  expect(usd).toMatchObject({ currency: 'usd', retries: 3, amount: 450, squares: 400 ** 2 + 50 ** 2 });
  expect(usd?.expected).toBeCloseTo(400 * p + 50 * q, 9);
  expect(usd?.variance).toBeCloseTo(400 ** 2 * p * (1 - p) + 50 ** 2 * q * (1 - q), 6);
  expect(usd?.drift).toBeCloseTo(450 * Math.sqrt(0.16 / 500), 9);
  expect(eur).toMatchObject({ currency: 'eur', retries: 1, amount: 70, squares: 4900 });
  const [later] = expectMoney(retries, tallies, kept({ retries: 9000, deviation: 0 }));
  expect(later?.drift).toBeCloseTo(450 * Math.sqrt(0.16 / MOST_REMEMBERED), 9);
});

test('nothing is expected of odds that are not known to hold', () => {
  const told = (promises: KeptPromises | undefined) =>
    expectMoney([open('a', 'usd', 100)], tallies, promises).length;
  expect([
    told(kept()),
    told(undefined),
    told(kept({ retries: 499, deviation: 0 })),
    told(kept({ deviation: BY_CHANCE + 1.001 })),
    told(
      kept({
        deviation: 2 * BY_CHANCE + 0.999,
        ranges: [...kept().ranges, ...kept().ranges],
      }),
    ),
  ]).toEqual([1, 0, 0, 0, 1]);
});

test('an hour is worth what came of it, by what was promised and by what all hours came to', () => {
  const hours = createHourTallies();
  expect(readHours(hours)).toEqual({ morning: 1, evening: 0.985, midnight: 0.985 });
  for (let number = 0; number < 200; number += 1)
    countHour(hours, { ...oddsOf(0.2), promised: 0.5, hour: 'morning' }, number < 150);
  for (let number = 0; number < 100; number += 1)
    countHour(hours, { ...oddsOf(0.2), promised: 0.5, hour: 'evening' }, number < 60);
  countHour(hours, { ...oddsOf(0.2), promised: 10, hour: 'midnight' }, false);
  countHour(hours, { ...oddsOf(0.2), promised: 10 }, true);
  expect(hours).toEqual({
    morning: { promised: 100, paid: 150 },
    evening: { promised: 50, paid: 60 },
    midnight: { promised: 10, paid: 0 },
  });
  // All hours together came to 450 of 400: a try in the evening to 60 / 1.125 of 50.
  const { morning, evening, midnight } = readHours(hours);
  expect(morning).toBe(1);
  expect(evening).toBeCloseTo((60 / 1.125 + 295.5) / 350, 12);
  expect(midnight).toBeCloseTo(295.5 / 310, 12);
});
