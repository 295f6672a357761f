/**
 * Whether the odds that the policy promises are kept, in every simulated world: before and after a merchant's first 500 cases.
 * `SEEDS` (6) from `SEED` (101), which nothing was fit on, `SUBSCRIBERS` (800) at most. With `fit` it prints what the first odds
 * are fit on, and which form predicts a seed best that it has not seen. With `levels` it tells whether odds that also know the card's
 * brand and funding, the amount and more would predict better.
 */

import {
  countRetry,
  createOddsTallies,
  ODDS_GROUPS,
  ODDS_MIDDLES,
  type OddsCurves,
  poolViolators,
  promise,
} from '../../src/service/policy/learning/calibration.ts';
import type { Odds, OddsGroup } from '../../src/service/policy/payment-case.ts';
import { generateCases } from '../simulate/cases.ts';
import { createOurs } from '../simulate/our-policy.ts';
import { play } from '../simulate/play.ts';
import type { SimulatedCase } from '../simulate/simulated-case.ts';
import { average, estimateDifference, formatEstimate } from '../simulate/statistics.ts';
import { WORLDS, type World } from '../simulate/worlds.ts';

const SEED = Number(process.env.SEED ?? 101);
const SEEDS = Number(process.env.SEEDS ?? 6);
const SUBSCRIBERS = Number(process.env.SUBSCRIBERS ?? 800);
const FIRST_CASES = 500;
/** The policy may be chosen on these. */
const FIT_WORLDS = new Set(['D', 'R']);
const BELIEF_TRIES = 10;
const FIT_SEEDS = [1, 2, 3];

interface Retry extends Odds {
  /** Of its case, in the order of the failures. */
  readonly caseNumber: number;
  readonly isPaid: boolean;
  /** What else is known of it, such as `visa`. */
  readonly levels: readonly string[];
}

function playWorld(world: World, seed: number): Retry[] {
  const cases = generateCases({ ...world, subscribers: Math.min(world.subscribers, SUBSCRIBERS) }, seed);
  const places = new Map(
    [...cases].sort((one, other) => one.failedAt - other.failedAt).map(({ id }, place) => [id, place + 1]),
  );
  const retries: Retry[] = [];
  const levelsOf = createLevels(cases);
  const onAnswer = (id: number, odds: Odds, isPaid: boolean) =>
    retries.push({ ...odds, isPaid, caseNumber: places.get(id) ?? 0, levels: levelsOf(id, isPaid) });
  play(world, cases, createOurs({ seed, onAnswer }));
  return retries;
}

/** Of a retry, before its outcome is known. Country and wallet are not simulated. */
function createLevels(cases: readonly SimulatedCase[]): (id: number, isPaid: boolean) => string[] {
  const byId = new Map(cases.map((one) => [one.id, one]));
  const tries = new Map<number, number>();
  const known = new Map<number, { paid: number; failed: number; most: number }>();
  return (id, isPaid) => {
    const { subscriber = 0, brand = '', amount = 0, passedAt = [] } = byId.get(id) ?? {};
    const made = (tries.get(id) ?? 0) + 1;
    tries.set(id, made);
    const card = known.get(subscriber) ?? { paid: 0, failed: 0, most: 0 };
    known.set(subscriber, {
      paid: card.paid + Number(isPaid),
      failed: card.failed + Number(!isPaid),
      most: isPaid ? Math.max(card.most, amount) : card.most,
    });
    const few = (count: number) => ['none', 'few', 'many'][Math.min(2, Math.ceil(count / 3))];
    return [
      brand,
      subscriber % 2 === 0 ? 'debit' : 'credit',
      `amount ${Math.round(Math.log2(amount / 3000))}`,
      card.most === 0 ? 'never recovered' : amount > card.most ? 'more than before' : 'no more than before',
      `age ${few(passedAt.length)}`,
      `recovered ${few(card.paid)}`,
      `refused ${few(card.failed)}`,
      `try ${Math.min(made, 5)}`,
    ];
  };
}

type Figure = 'believed' | 'promised';

/** Tenths of the retries by their figure: how far the share paid is from the mean figure, on average and in points. */
function deviation(retries: readonly Retry[], figure: Figure): number {
  const sorted = [...retries].sort((one, other) => one[figure] - other[figure]);
  let sum = 0;
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const some = sorted.slice((tenth * sorted.length) / 10, ((tenth + 1) * sorted.length) / 10);
    sum += Math.abs(some.reduce((total, one) => total + Number(one.isPaid) - one[figure], 0));
  }
  return (100 * sum) / Math.max(1, sorted.length);
}

function brier(retries: readonly Retry[], odds: (retry: Retry) => number): number {
  const sum = retries.reduce((total, one) => total + (Number(one.isPaid) - odds(one)) ** 2, 0);
  return sum / Math.max(1, retries.length);
}

function compareWorlds(): void {
  console.log(`Seeds ${SEED} to ${SEED + SEEDS - 1}, at most ${SUBSCRIBERS} subscribers.\n`);
  console.log(
    '| world | retries | before 500 cases: believed, promised | after: believed, promised | Brier score: believed, promised |',
  );
  console.log('|---|---|---|---|---|');
  for (const world of WORLDS) {
    const retries = Array.from({ length: SEEDS }, (_, index) => playWorld(world, SEED + index)).flat();
    const early = retries.filter(({ caseNumber }) => caseNumber <= FIRST_CASES);
    const later = retries.filter(({ caseNumber }) => caseNumber > FIRST_CASES);
    const pair = (some: Retry[]) =>
      some.length < FIRST_CASES
        ? 'too few'
        : `${deviation(some, 'believed').toFixed(1)}, ${deviation(some, 'promised').toFixed(1)}`;
    const scores = (['believed', 'promised'] as const).map((figure) =>
      brier(retries, (one) => one[figure]).toFixed(4),
    );
    console.log(
      `| ${world.name} | ${retries.length} | ${pair(early)} | ${pair(later)} | ${scores.join(', ')} |`,
    );
  }
}

/** Levels differ by about so much in log-odds: one standard deviation. */
const LEVEL_SPREAD = 0.2;

/**
 * Logistic regression on the levels around the promised odds, retry by retry: each level's effect begins at none with that spread, so
 * that a few retries move it little (partial pooling; Gaussian beliefs, each level's own).
 */
function createLevelModel() {
  const effects = new Map<string, { mean: number; variance: number }>();
  const effectOf = (level: string) => effects.get(level) ?? { mean: 0, variance: LEVEL_SPREAD ** 2 };
  const predict = ({ promised, levels }: Retry): number => {
    const p = Math.min(0.999, Math.max(0.001, promised));
    const x = levels.reduce((sum, level) => sum + effectOf(level).mean, Math.log(p / (1 - p)));
    return 1 / (1 + Math.exp(-x));
  };
  return {
    predict,
    learn: (retry: Retry): void => {
      const p = predict(retry);
      for (const level of retry.levels) {
        const { mean, variance } = effectOf(level);
        const after = 1 / (1 / variance + p * (1 - p));
        effects.set(level, { mean: mean + after * (Number(retry.isPaid) - p), variance: after });
      }
    },
  };
}

/** Each seed is a merchant. The levels are learned from its own retries, or from those of all other merchants before. */
function compareLevels(): void {
  console.log('| world | retries | promised | levels, own retries | levels, other merchants, then own |');
  console.log('|---|---|---|---|---|');
  for (const world of WORLDS) {
    const merchants = Array.from({ length: SEEDS }, (_, index) => playWorld(world, SEED + index));
    const scoreOf = (before: readonly Retry[], own: readonly Retry[]) => {
      const model = createLevelModel();
      for (const retry of before) model.learn(retry);
      return brier(own, (retry) => {
        const odds = model.predict(retry);
        model.learn(retry);
        return odds;
      });
    };
    const promised = merchants.map((own) => brier(own, (one) => one.promised));
    const alone = merchants.map((own) => scoreOf([], own));
    const taught = merchants.map((own) => scoreOf(merchants.filter((other) => other !== own).flat(), own));
    const against = (scores: readonly number[]) => formatEstimate(estimateDifference(scores, promised), 4);
    const count = merchants.flat().length;
    console.log(
      `| ${world.name} | ${count} | ${average(promised).toFixed(4)} | ${against(alone)} | ${against(taught)} |`,
    );
  }
}

/** Beta calibration (Kull et al. 2017), by Newton's method with a little ridge: the odds as a function of ln p and −ln(1 − p). */
function fitBeta(retries: readonly Retry[]): (believed: number) => number {
  const terms = (believed: number): number[] => {
    const p = Math.min(0.999, Math.max(0.001, believed));
    return [1, Math.log(p), -Math.log(1 - p)];
  };
  const weights: number[] = [0, 0, 0];
  const odds = (x: readonly number[]) =>
    1 / (1 + Math.exp(-x.reduce((sum, one, index) => sum + one * (weights[index] ?? 0), 0)));
  for (let round = 0; round < 25; round += 1) {
    const gradient = weights.map((weight, index) => (index === 0 ? 0 : 1 - weight));
    const curvature: number[][] = [0, 1, 2].map((row) => [0, 1, 2].map((column) => Number(row === column)));
    for (const { believed, isPaid } of retries) {
      const x = terms(believed);
      const q = odds(x);
      for (let row = 0; row < 3; row += 1) {
        gradient[row] = (gradient[row] ?? 0) + (Number(isPaid) - q) * (x[row] ?? 0);
        const line = curvature[row] ?? [];
        for (let column = 0; column < 3; column += 1)
          line[column] = (line[column] ?? 0) + q * (1 - q) * (x[row] ?? 0) * (x[column] ?? 0);
      }
    }
    solve(curvature, gradient).forEach((step, index) => {
      weights[index] = (weights[index] ?? 0) + step;
    });
  }
  return (believed) => odds(terms(believed));
}

function solve(matrix: number[][], right: number[]): number[] {
  const rows = matrix.map((line, index) => [...line, right[index] ?? 0]);
  rows.forEach((pivot, place) => {
    for (const [index, line] of rows.entries()) {
      if (index === place) continue;
      const times = (line[place] ?? 0) / (pivot[place] ?? 1);
      for (let column = 0; column < line.length; column += 1)
        line[column] = (line[column] ?? 0) - times * (pivot[column] ?? 0);
    }
  });
  return rows.map((line, place) => (line.at(-1) ?? 0) / (line[place] ?? 1));
}

/** Without first odds. What is believed counts as ten tries of each step, so that one with few retries says little. */
function fitIsotonic(retries: readonly Retry[]): OddsCurves {
  const tallies = createOddsTallies();
  for (const { isPaid, ...odds } of retries) countRetry(tallies, odds, isPaid);
  const curve = (group: OddsGroup) =>
    poolViolators(
      tallies[group].map(({ tried, paid }, step) => ({
        tried: tried + BELIEF_TRIES,
        paid: paid + BELIEF_TRIES * (ODDS_MIDDLES[step] ?? 0),
      })),
    );
  return Object.fromEntries(ODDS_GROUPS.map((group) => [group, curve(group)])) as Record<OddsGroup, number[]>;
}

function printFit(): void {
  const seeds = FIT_SEEDS.map((seed) =>
    WORLDS.filter(({ name }) => FIT_WORLDS.has(name)).flatMap((world) => playWorld(world, seed)),
  );
  for (const [group, curve] of Object.entries(fitIsotonic(seeds.flat())))
    console.log(`${group}: ${curve.map((share) => share.toFixed(3)).join(', ')}`);
  console.log('\n| group | retries, each seed left out once | Brier score: believed | isotonic | beta |');
  console.log('|---|---|---|---|---|');
  const all = [0, 0, 0];
  let total = 0;
  for (const group of ODDS_GROUPS) {
    const sums = [0, 0, 0];
    let count = 0;
    seeds.forEach((left, out) => {
      const known = seeds.filter((_, index) => index !== out).flat();
      const held = left.filter((one) => one.group === group);
      const curves = fitIsotonic(known);
      const beta = fitBeta(known.filter((one) => one.group === group));
      const forms = [(p: number) => p, (p: number) => promise(curves, group, p).promised, beta];
      forms.forEach((form, index) => {
        const score = brier(held, ({ believed }) => form(believed));
        sums[index] = (sums[index] ?? 0) + held.length * score;
        all[index] = (all[index] ?? 0) + held.length * score;
      });
      count += held.length;
      total += held.length;
    });
    console.log(`| ${group} | ${count} | ${sums.map((sum) => (sum / count).toFixed(4)).join(' | ')} |`);
  }
  console.log(`| all | ${total} | ${all.map((sum) => (sum / total).toFixed(4)).join(' | ')} |`);
}

if (process.argv.includes('fit')) printFit();
else if (process.argv.includes('levels')) compareLevels();
else compareWorlds();
