/**
 * What the engine believes of a retry, as odds that one may rely on: of the retries with such a figure so many were paid.
 * Isotonic regression: within a group a higher belief never comes to lower odds, so the order of a plan does not change.
 */
import type { Odds, OddsGroup } from '../payment-case.ts';

export const ODDS_GROUPS = ['rested', 'funds', 'generic', 'passing'] as const satisfies readonly OddsGroup[];

export interface Tally {
  tried: number;
  paid: number;
}
export type OddsTallies = Record<OddsGroup, Tally[]>;

/** Beliefs are counted in these steps, each from its own figure up to the next. */
const STEPS = [0, 0.03, 0.06, 0.09, 0.12, 0.15, 0.18, 0.22, 0.27, 0.35, 0.45];
export const ODDS_STEPS = STEPS.length;
/** Where a step's odds hold; between two of them they are drawn out straight. */
export const ODDS_MIDDLES = [0.015, 0.046, 0.077, 0.107, 0.136, 0.165, 0.199, 0.242, 0.3, 0.395, 0.49];

/**
 * Before anything is known of a merchant: the shares paid in the simulated worlds D and R, on the seeds that the policy may be
 * chosen on. `node --import tsx scripts/bench/calibration.ts fit` prints them.
 */
const FIRST_ODDS: Readonly<Record<OddsGroup, readonly number[]>> = {
  rested: [0.365, 0.365, 0.365, 0.365, 0.368, 0.368, 0.368, 0.368, 0.368, 0.395, 0.49],
  funds: [0.002, 0.1, 0.123, 0.123, 0.151, 0.167, 0.212, 0.256, 0.346, 0.518, 0.689],
  generic: [0.006, 0.076, 0.076, 0.086, 0.117, 0.151, 0.193, 0.269, 0.559, 0.559, 0.559],
  passing: [0.015, 0.046, 0.149, 0.149, 0.149, 0.165, 0.2, 0.29, 0.428, 0.591, 0.657],
};
/** Own attempts at which a step of the merchant's counts as much as those odds. */
const FIRST_ODDS_TRIES = 20;
/** Retries after which one counts half: what a belief means changes while the engine learns. */
const HALF_LIFE = 400;
const REMEMBERED = 0.5 ** (1 / HALF_LIFE);
/** So many retries that count alike say as much as all that are remembered (Kish). */
export const MOST_REMEMBERED = (1 + REMEMBERED) / (1 - REMEMBERED);

export function createOddsTallies(): OddsTallies {
  const fresh = () => Array.from({ length: ODDS_STEPS }, () => ({ tried: 0, paid: 0 }));
  return { rested: fresh(), funds: fresh(), generic: fresh(), passing: fresh() };
}

/** Before another one is counted, so that the latest weigh most. */
export function fade(tallies: OddsTallies): void {
  for (const tally of Object.values(tallies).flat()) {
    tally.tried *= REMEMBERED;
    tally.paid *= REMEMBERED;
  }
}

export function countRetry(tallies: OddsTallies, { group, believed }: Odds, isPaid: boolean): void {
  const tally = tallies[group][stepOf(believed)];
  if (!tally) return;
  tally.tried += 1;
  if (isPaid) tally.paid += 1;
}

/** For each group the odds of each step. */
export type OddsCurves = Readonly<Record<OddsGroup, readonly number[]>>;

export function readOdds(tallies: OddsTallies): OddsCurves {
  const shift = fitShift(tallies);
  const curve = (group: OddsGroup) =>
    poolViolators(
      FIRST_ODDS[group].map((first, step) => {
        const { tried, paid } = tallies[group][step] ?? { tried: 0, paid: 0 };
        const expected = group === 'rested' ? first : shift(first);
        return { tried: FIRST_ODDS_TRIES + tried, paid: FIRST_ODDS_TRIES * expected + paid };
      }),
    );
  return {
    rested: curve('rested'),
    funds: curve('funds'),
    generic: curve('generic'),
    passing: curve('passing'),
  };
}

/**
 * How a merchant's odds differ from the first ones, as far as all steps tell it together: higher or lower, steeper or flatter. Logistic
 * regression on the first odds, with a Gaussian belief around no difference. A card that has only rested is a case by itself.
 */
function fitShift(tallies: OddsTallies): (first: number) => number {
  const rows = (['funds', 'generic', 'passing'] as const).flatMap((group) =>
    tallies[group].flatMap(({ tried, paid }, step) =>
      tried > 0 ? [{ tried, paid, x: logOddsOf(FIRST_ODDS[group][step] ?? 0) }] : [],
    ),
  );
  let level = 0;
  let slope = 0;
  const shifted = (x: number) => 1 / (1 + Math.exp(-(x + level + slope * (x - USUAL_LOG_ODDS))));
  for (let round = 0; round < NEWTON_ROUNDS; round += 1) {
    const sums = { level: -level * BELIEF, slope: -slope * BELIEF, ll: BELIEF, ls: 0, ss: BELIEF };
    for (const { tried, paid, x } of rows) {
      const chance = shifted(x);
      const distance = x - USUAL_LOG_ODDS;
      const weight = tried * chance * (1 - chance);
      sums.level += paid - tried * chance;
      sums.slope += (paid - tried * chance) * distance;
      sums.ll += weight;
      sums.ls += weight * distance;
      sums.ss += weight * distance ** 2;
    }
    const determinant = sums.ll * sums.ss - sums.ls ** 2;
    level += (sums.level * sums.ss - sums.slope * sums.ls) / determinant;
    slope += (sums.slope * sums.ll - sums.level * sums.ls) / determinant;
  }
  return (first) => shifted(logOddsOf(first));
}
/** One over the variance: level and slope are thought to differ by about 0.3 (one standard deviation). */
const BELIEF = 1 / 0.3 ** 2;
/** 18 %, about what a retry brings: there the level is told. */
const USUAL_LOG_ODDS = -1.5;
const NEWTON_ROUNDS = 5;

function logOddsOf(share: number): number {
  return Math.log(share / (1 - share));
}

export function promise(curves: OddsCurves, group: OddsGroup, believed: number): Odds {
  return { group, believed, promised: interpolate(curves[group], believed) };
}

/** The rising shares that are nearest to those of the tallies, weighed by their tries. */
export function poolViolators(tallies: readonly Tally[]): number[] {
  const pools: (Tally & { steps: number })[] = [];
  for (const { tried, paid } of tallies) {
    let pool = { tried, paid, steps: 1 };
    for (;;) {
      const before = pools.at(-1);
      if (!before || before.paid * pool.tried <= pool.paid * before.tried) break;
      pools.pop();
      pool = {
        tried: before.tried + pool.tried,
        paid: before.paid + pool.paid,
        steps: before.steps + pool.steps,
      };
    }
    pools.push(pool);
  }
  return pools.flatMap(({ tried, paid, steps }) => Array.from({ length: steps }, () => paid / tried));
}

/** Odds at which the ranges begin by which promises are judged. */
export const PROMISE_RANGES = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5];

/** Of one range: what was promised to each retry, added up, and its squared distances from what came. */
export interface PromiseTally extends Tally {
  promised: number;
  squares: number;
}

export function createPromiseTallies(): PromiseTally[] {
  return PROMISE_RANGES.map(() => ({ tried: 0, paid: 0, promised: 0, squares: 0 }));
}

export function countPromise(tallies: readonly PromiseTally[], { promised }: Odds, isPaid: boolean): void {
  const tally = tallies[PROMISE_RANGES.findLastIndex((from) => from <= promised)];
  if (!tally) return;
  tally.tried += 1;
  tally.paid += Number(isPaid);
  tally.promised += promised;
  tally.squares += (Number(isPaid) - promised) ** 2;
}

function stepOf(believed: number): number {
  return Math.max(
    0,
    STEPS.findLastIndex((from) => from <= believed),
  );
}

function interpolate(curve: readonly number[], believed: number): number {
  const after = ODDS_MIDDLES.findIndex((middle) => middle > believed);
  if (after <= 0) return curve.at(after) ?? believed;
  const [from = 0, to = 1] = ODDS_MIDDLES.slice(after - 1, after + 1);
  const [low = 0, high = low] = curve.slice(after - 1, after + 1);
  return low + ((high - low) * (believed - from)) / (to - from);
}
