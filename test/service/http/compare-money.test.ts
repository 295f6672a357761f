import { compareMoney } from '../../../src/service/http/compare-money.ts';
import { createRandom, type Random } from '../../../src/workbench/sandbox/random.ts';

type Case = readonly [amount: number, isRecovered: boolean];

const some = (count: number, amount: number, isRecovered: boolean): Case[] =>
  Array.from({ length: count }, () => [amount, isRecovered]);

function sumUp(cases: readonly Case[]) {
  const sum = (of: (amount: number) => number, from: readonly Case[]) =>
    from.reduce((total, [amount]) => total + of(amount), 0);
  const paid = cases.filter(([, isRecovered]) => isRecovered);
  const [itself, squared] = [(amount: number) => amount, (amount: number) => amount ** 2];
  return {
    cases: cases.length,
    amount: sum(itself, cases),
    squares: sum(squared, cases),
    recovered: sum(itself, paid),
    recoveredSquares: sum(squared, paid),
  };
}

const HALF = sumUp([...some(50, 1000, true), ...some(50, 1000, false)]);

test('a difference in money has the interval that a calculation by hand gives', () => {
  // 60 × 1000 and 20 × 3000 recovered, 20 × 3000 not: 120000 of 180000. The squared distances from 2/3 of each amount:
  // 60 × 333.33² + 20 × 1000² + 20 × 2000² = 106.667 million; × 100/99 / 180000² = 0.00332548.
  const one = sumUp([...some(60, 1000, true), ...some(20, 3000, true), ...some(20, 3000, false)]);
  // 50000 of 100000: 100 × 500² × 100/99 / 100000² = 0.00252525. The root of both is 0.0764901, times 1.959964: 0.149918.
  const found = compareMoney(one, HALF);
  expect(found?.points).toBeCloseTo(16.6667, 3);
  expect(found?.low).toBeCloseTo(1.6749, 3);
  expect(found?.high).toBeCloseTo(31.6585, 3);
});

test.each([
  ['29 cases', [...some(15, 1000, true), ...some(14, 1000, false)]],
  ['no case', []],
  [
    'a hundred cases of which one is most of the money',
    [...some(99, 1000, true), ...some(1, 900_000, false)],
  ],
  ['nothing recovered', some(100, 1000, false)],
  ['all recovered', some(100, 1000, true)],
])('money of %s is too little to compare', (_name, cases) => {
  expect(compareMoney(sumUp(cases), HALF)).toBeUndefined();
  expect(compareMoney(HALF, sumUp(cases))).toBeUndefined();
});

test('thirty cases of one amount are enough', () => {
  const thirty = sumUp([...some(20, 1000, true), ...some(10, 1000, false)]);
  expect(compareMoney(thirty, HALF)).toBeDefined();
  expect(compareMoney(HALF, thirty)).toBeDefined();
});

test('the interval of money holds the true difference in about 95 of 100 simulated comparisons', () => {
  const RUNS = 1000;
  let held = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const random = createRandom(2026, run);
    const [timed, kept] = [draw(random, 600, 0.1), draw(random, 200, 0)];
    const found = compareMoney(sumUp(timed), sumUp(kept));
    if (found && found.low <= 10 && found.high >= 10) held += 1;
  }
  expect(held / RUNS).toBeGreaterThan(0.925);
  expect(held / RUNS).toBeLessThan(0.975);
});

/** Large invoices are paid less often, whoever chooses the times: the share of money differs from that of cases. */
function draw(random: Random, count: number, gain: number): Case[] {
  return Array.from({ length: count }, () => {
    const amount = Math.round(random.lognormal(3000, 0.8));
    return [amount, random.uniform() < (amount > 3000 ? 0.4 : 0.7) + gain] as const;
  });
}
