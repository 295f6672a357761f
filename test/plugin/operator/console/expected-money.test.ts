/** Whether as many payments come as the overview expects, on merchants made of chance alone. */
import { type Expected, expectIn } from '../../../../src/plugin/operator/figures/list-figures.ts';
import { buildTimingReport } from '../../../../src/service/http/report-timing.ts';
import {
  countPromise,
  countRetry,
  createOddsTallies,
  createPromiseTallies,
  fade,
  ODDS_GROUPS,
  promise,
  readOdds,
} from '../../../../src/service/policy/learning/calibration.ts';
import { expectMoney, type OpenRetry } from '../../../../src/service/policy/learning/expect-money.ts';
import type { Odds } from '../../../../src/service/policy/payment-case.ts';
import { createRandom, type Random } from '../../../../src/workbench/sandbox/random.ts';
import { firstOf, IS_FULL_RUN } from '../../../support/runner/full-run.ts';

interface Merchant {
  readonly random: Random;
  /** What retries really come to, as a share of the odds of the first day. */
  readonly factor: number;
}

const FIRST_ODDS = readOdds(createOddsTallies());
const ROW = { currency: 'usd', currencies: new Set(['usd', 'eur']) };
const RATES = { currency: 'usd', rates: new Map([['eur', 1.1]]) };

/** One to four invoices on one card, which are paid together if at all; the luck is the customer's. */
function drawCustomer({ random, factor }: Merchant, name: string) {
  const luck = random.uniform();
  const price = random.lognormal(2000, 0.9);
  const count = Math.min(4, 1 + Math.floor(random.exponential(0.7)));
  return Array.from({ length: count }, (_, index) => {
    const group = ODDS_GROUPS[Math.floor(random.uniform() * ODDS_GROUPS.length)] ?? 'funds';
    const odds = { group, believed: Math.min(0.9, random.exponential(0.15)) };
    const isPaid = luck < factor * promise(FIRST_ODDS, odds.group, odds.believed).promised;
    const currency = random.uniform() < 0.3 ? 'eur' : 'usd';
    return { customer: name, currency, amount: Math.round(price * (1 + index / 4)), odds, isPaid };
  });
}

/** As many retries as have an outcome, by odds that follow them. */
function learn(merchant: Merchant, retries: number) {
  const [tallies, promises] = [createOddsTallies(), createPromiseTallies()];
  for (let done = 0; done < retries; ) {
    const curves = readOdds(tallies);
    for (const { odds, isPaid } of Array.from({ length: 20 }, () => drawCustomer(merchant, '')).flat()) {
      const promised: Odds = promise(curves, odds.group, odds.believed);
      fade(tallies);
      countRetry(tallies, promised, isPaid);
      countPromise(promises, promised, isPaid);
      done += 1;
    }
  }
  return { tallies, kept: buildTimingReport([], 0, [], promises).promises };
}

interface Drawn {
  readonly found: Expected | null;
  readonly came: number;
}

function drawMerchant(seed: number, { retries, customers }: { retries: number; customers: number }): Drawn {
  const random = createRandom(seed, 35);
  const merchant = { random, factor: random.between(0.85, 1.15) };
  const { tallies, kept } = learn(merchant, retries);
  const all = Array.from({ length: customers }, (_, index) => drawCustomer(merchant, String(index))).flat();
  const open: OpenRetry[] = all.map(({ odds, ...one }) => ({ ...one, odds: { ...odds, promised: 0 } }));
  const came = all.filter(({ isPaid }) => isPaid);
  const worth = came.reduce((sum, { amount, currency }) => sum + amount * (currency === 'eur' ? 1.1 : 1), 0);
  return { found: expectIn({ expected: expectMoney(open, tallies, kept), rates: RATES }, ROW), came: worth };
}

const DRAWS = IS_FULL_RUN ? 1000 : 400;

const SIZES = [
  { retries: 600, customers: 80 },
  { retries: 2000, customers: 300 },
  { retries: 600, customers: 2000 },
];

test.each(firstOf(1, SIZES))(
  'with $retries retries and $customers customers in arrears the interval covers what comes in 93 to 97 % of the draws',
  ({ retries, customers }) => {
    const drawn = Array.from({ length: DRAWS }, (_, seed) => drawMerchant(seed, { retries, customers }));
    const said = drawn.flatMap(({ found, came }) => (found ? [{ ...found, came }] : []));
    const covered = said.filter(({ low, high, came }) => low <= came && came <= high).length / said.length;
    expect(covered).toBeGreaterThanOrEqual(0.93);
    expect(covered).toBeLessThanOrEqual(0.97);
  },
);

describe('nothing is said', () => {
  const open = Array.from(
    { length: 100 },
    (_, index): OpenRetry => ({
      customer: String(index),
      currency: 'usd',
      amount: 1000,
      odds: { group: 'funds', believed: 0.2, promised: 0.2 },
    }),
  );
  // By chance alone 1.37 points.
  const ranges = [{ from: 15, to: 20, retries: 500, promised: 18, paid: 90 }];
  const kept = { retries: 500, paid: 90, brier: 0.15, deviation: 2.3, ranges };
  const say = (of: object, some = open) =>
    expectIn({ expected: expectMoney(some, createOddsTallies(), { ...kept, ...of }), rates: RATES }, ROW);

  test('before 500 retries, by odds that are not kept, and where few customers owe most', () => {
    expect(say({})).toEqual({ amount: 21302, low: 12589, high: 30016 });
    expect(say({ retries: 499 })).toBeNull();
    expect(say({ deviation: 2.4 })).toBeNull();
    expect(
      say(
        {},
        open.map((one) => ({ ...one, amount: one.customer === '7' ? 30_000 : 1000 })),
      ),
    ).toBeNull();
    expect(expectMoney(open, createOddsTallies(), undefined)).toEqual([]);
  });
});
