/** The odds that are promised, against what can be said of them without the code: their curve, their fit, their memory. */
import {
  countPromise,
  countRetry,
  createOddsTallies,
  createPromiseTallies,
  fade,
  MOST_REMEMBERED,
  ODDS_MIDDLES,
  type OddsCurves,
  promise,
  readOdds,
} from '../../../../src/service/policy/learning/calibration.ts';
import type { OddsGroup } from '../../../../src/service/policy/payment-case.ts';

const FIRST = readOdds(createOddsTallies());
const logOdds = (share = Number.NaN) => Math.log(share / (1 - share));
const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);

/** Odds at which the level of a merchant is told, and the variance of what merchants are thought to differ by. */
const USUAL = -1.5;
const VARIANCE = 0.09;

function tell(
  own: readonly (readonly [step: number, tried: number, paid: number])[],
  group: OddsGroup = 'funds',
) {
  const tallies = createOddsTallies();
  for (const [step, tried, paid] of own) tallies[group][step] = { tried, paid };
  return readOdds(tallies);
}

/** By how much the log odds of a group differ from the first ones: at the usual odds, and for each step farther from them. */
function shiftOf(curves: OddsCurves, group: OddsGroup) {
  const [low, high] = [3, 9].map((step) => {
    const x = logOdds(FIRST[group][step]);
    return { x, by: logOdds(curves[group][step]) - x };
  });
  if (!low || !high) throw new Error('no such steps');
  const slope = (high.by - low.by) / (high.x - low.x);
  return { slope, level: low.by - slope * (low.x - USUAL) };
}

test.each([
  {
    name: 'much more',
    own: [
      [2, 30, 12],
      [5, 50, 20],
      [8, 40, 25],
    ],
  },
  {
    name: 'less',
    own: [
      [1, 200, 5],
      [7, 100, 12],
      [10, 40, 20],
    ],
  },
  {
    name: 'more of the low, less of the high',
    own: [
      [1, 60, 14],
      [9, 60, 20],
    ],
  },
] as const)('a merchant whose retries bring $name is taken for the likeliest such merchant', ({ own }) => {
  const { level, slope } = shiftOf(tell(own), 'passing');
  const misses = own.map(([step, tried, paid]) => {
    const x = logOdds(FIRST.funds[step]);
    const chance = 1 / (1 + Math.exp(-(x + level + slope * (x - USUAL))));
    return { off: paid - tried * chance, distance: x - USUAL };
  });
  // Where the likelihood of the retries, times that of such a merchant, is highest, its slopes are zero.
  expect(sum(misses.map(({ off }) => off)) - level / VARIANCE).toBeCloseTo(0, 3);
  expect(sum(misses.map(({ off, distance }) => off * distance)) - slope / VARIANCE).toBeCloseTo(0, 3);
  expect(Math.abs(level) + Math.abs(slope)).toBeGreaterThan(0.1);
});

test('own retries of a step weigh against twenty of the shifted first odds; a rested card is not shifted', () => {
  const curves = tell([[7, 60, 24]]);
  const { level, slope } = shiftOf(curves, 'passing');
  const x = logOdds(FIRST.funds[7]);
  const shifted = 1 / (1 + Math.exp(-(x + level + slope * (x - USUAL))));
  expect(curves.funds[7]).toBeCloseTo((20 * shifted + 24) / 80, 9);
  expect(curves.rested).toEqual(FIRST.rested);
  const rested = tell([[9, 60, 24]], 'rested');
  expect(rested.rested[9]).toBeCloseTo((20 * 0.395 + 24) / 80, 9);
  expect(rested.passing[9]).toBeCloseTo(FIRST.passing[9] ?? 0, 12);
});

const CURVE = ODDS_MIDDLES.map((_, step) => (step + 1) ** 2 / 200);
const CURVES: OddsCurves = { rested: [], funds: CURVE, generic: [], passing: [] };

test.each([
  [0, 1 / 200],
  [0.014, 1 / 200],
  [0.015, 1 / 200],
  [0.046, 4 / 200],
  [0.3, 81 / 200],
  [(0.046 + 0.077) / 2, 6.5 / 200],
  [0.3 + 0.095 / 4, (81 + 19 / 4) / 200],
  [0.49, 121 / 200],
  [0.9, 121 / 200],
])(
  'of what is believed to be %d is promised %d: on the curve, straight between its points',
  (believed, promised) => {
    const odds = promise(CURVES, 'funds', believed);
    expect(odds).toMatchObject({ group: 'funds', believed });
    expect(odds.promised).toBeCloseTo(promised, 12);
  },
);

test.each([
  [0, 0],
  [0.029, 0],
  [0.03, 1],
  [0.349, 8],
  [0.35, 9],
  [0.45, 10],
  [1, 10],
])('a retry believed to be %d counts in step %d', (believed, step) => {
  const tallies = createOddsTallies();
  countRetry(tallies, { group: 'generic', believed, promised: 0 }, true);
  countRetry(tallies, { group: 'generic', believed, promised: 0 }, false);
  const counted = tallies.generic.map(({ tried, paid }) => [tried, paid]);
  expect(counted).toEqual(Array.from({ length: 11 }, (_, index) => (index === step ? [2, 1] : [0, 0])));
  expect([tallies.rested, tallies.funds, tallies.passing].flat().every(({ tried }) => tried === 0)).toBe(
    true,
  );
});

test.each([
  [0, 0],
  [0.049, 0],
  [0.05, 1],
  [0.5, 7],
  [1, 7],
])('a promise of %d is judged in range %d', (promised, range) => {
  const tallies = createPromiseTallies();
  countPromise(tallies, { group: 'funds', believed: 0, promised }, true);
  countPromise(tallies, { group: 'funds', believed: 0, promised }, false);
  expect(tallies.findIndex(({ tried }) => tried > 0)).toBe(range);
  expect(tallies[range]).toEqual({
    tried: 2,
    paid: 1,
    promised: 2 * promised,
    squares: expect.closeTo((1 - promised) ** 2 + promised ** 2, 12),
  });
  expect(tallies).toHaveLength(8);
});

test('a retry counts half after 400 others', () => {
  const tallies = createOddsTallies();
  tallies.funds[3] = { tried: 8, paid: 4 };
  for (let number = 0; number < 400; number += 1) fade(tallies);
  expect(tallies.funds[3]?.tried).toBeCloseTo(4, 9);
  expect(tallies.funds[3]?.paid).toBeCloseTo(2, 9);
  // Of weights that fall so, the sum squared by the sum of squares.
  expect(MOST_REMEMBERED).toBeCloseTo(2 / (1 - 0.5 ** (1 / 400)) - 1, 6);
});
