/**
 * Whether `timing evaluate` tells the truth: cases of simulated merchants, decided by draw, and other policies judged by that log. The
 * truth is what those policies recover on the same cases. `DRAWS` (500) merchants of `CASES` (2,000) cases out of those that `POOL`
 * (300) subscribers have in a year, from `SEED` (1), in each of `WORLD_NAMES` (D, R and the worlds from outside). With `loss`
 * instead, in every world unless they are named, what it costs that times are drawn, against always the best one: the same cases, paired
 * by `SEEDS` (20), each of which learns and plays years of its own.
 */

import {
  evaluatePolicy,
  type LoggedCase,
  POLICIES,
} from '../../src/service/policy/compare/evaluate-policy.ts';
import type { TimeChoice, TimeChoices } from '../../src/service/policy/payment-case.ts';
import { createRandom, type Random } from '../../src/workbench/sandbox/random.ts';
import { generateCases } from '../simulate/cases.ts';
import { createOurs } from '../simulate/our-policy.ts';
import { play } from '../simulate/play.ts';
import { canSucceed } from '../simulate/simulated-answers.ts';
import type { SimulatedCase } from '../simulate/simulated-case.ts';
import { average, estimateDifference } from '../simulate/statistics.ts';
import { WORLDS, type World } from '../simulate/worlds.ts';

const DRAWS = Number(process.env.DRAWS ?? 500);
const CASES = Number(process.env.CASES ?? 2_000);
const POOL = Number(process.env.POOL ?? 300);
const TRUTH_ROUNDS = Number(process.env.TRUTH_ROUNDS ?? 200);
const SEED = Number(process.env.SEED ?? 1);
const SEEDS = Number(process.env.SEEDS ?? 20);
const isLoss = process.argv.includes('loss');
const ALL = WORLDS.map(({ name }) => name).join(';');
const USUAL = isLoss ? ALL : "D;R;household balances;issuers' rules";
const NAMES = (process.env.WORLD_NAMES ?? USUAL).split(';');

/** The options of a case after its tries; undefined for no more. The policy has learned elsewhere and learns nothing here. */
type Decide = (failed: SimulatedCase, tries: readonly number[], now: number) => Decided | undefined;
interface Decided {
  readonly choices: TimeChoices | undefined;
  readonly hour: number;
}

interface Played {
  readonly decisions: { choices: TimeChoices; chosen: number }[];
  readonly isRecovered: boolean;
}

type Pick = (choices: TimeChoices) => TimeChoice | undefined;

function playCase(world: World, failed: SimulatedCase, decide: Decide, pick: Pick): Played {
  const decisions: Played['decisions'] = [];
  const tries: number[] = [];
  const end = Math.min(failed.endsAt, failed.paidByOthersAt);
  for (let now = failed.failedAt; ; ) {
    const decided = decide(failed, tries, now);
    if (!decided) break;
    const option = decided.choices && pick(decided.choices);
    // The engine would not go on.
    if (decided.choices && !option) break;
    if (decided.choices && option) decisions.push({ choices: decided.choices, chosen: option.ms });
    const hour = Math.max(now + 1, option ? hourOf(option.ms) : decided.hour);
    if (hour >= end) break;
    if (canSucceed(world, failed, hour, tries)) return { decisions, isRecovered: true };
    tries.push(hour);
    now = hour;
  }
  return { decisions, isRecovered: failed.paidByOthersAt < failed.endsAt };
}

const START_MS = Date.UTC(2026, 0, 1);
const hourOf = (ms: number) => Math.floor((ms - START_MS) / 3_600_000);

/** What is asked twice is answered once: the same cases come in many draws. */
function remember(decide: Decide): Decide {
  const known = new Map<string, Decided | undefined>();
  return (failed, tries, now) => {
    const key = `${failed.id} ${tries.join()}`;
    if (!known.has(key)) known.set(key, decide(failed, tries, now));
    return known.get(key);
  };
}

function drawBy(random: Random): Pick {
  return ({ options }) =>
    pickBy(
      options,
      options.map(({ by }) => by.engine ?? 0),
      random,
    );
}

function pickBy(options: readonly TimeChoice[], weights: readonly number[], random: Random) {
  const pairs = options.map((option, index) => [option, weights[index] ?? 0] as const);
  return pairs.some(([, weight]) => weight > 0) ? random.pick(pairs) : undefined;
}

interface Year {
  readonly pool: readonly SimulatedCase[];
  readonly decide: Decide;
  readonly random: Random;
}

function openYear(world: World, seed = SEED): Year {
  const subscribers = Math.min(POOL, world.subscribers);
  const trained = createOurs({ seed });
  play(world, generateCases({ ...world, subscribers }, seed + 1), trained);
  const ours = createOurs({ seed, state: trained.snapshot() });
  const decide = remember((failed, tries, now) => ours.look(failed, tries, now));
  const pool = generateCases({ ...world, subscribers }, seed);
  return { pool, decide, random: createRandom(seed, 7) };
}

function pickOf(prefer: (options: readonly TimeChoice[]) => readonly number[], random: Random): Pick {
  return ({ options }) => {
    const own = options.filter(({ by }) => by.engine);
    return pickBy(own, prefer(own), random);
  };
}

/** Of each case, how often it is recovered. */
function findTruth(world: World, { pool, decide }: Year, pick: Pick, rounds = TRUTH_ROUNDS): number[] {
  return pool.map((failed) => {
    let recovered = 0;
    for (let round = 0; round < rounds; round += 1)
      recovered += Number(playCase(world, failed, decide, pick).isRecovered);
    return (100 * recovered) / rounds;
  });
}

/** On the same cases. The best time is always the same one, so one round tells all of it. */
function measureLoss(world: World): void {
  const { prefer } = POLICIES.get('best') ?? { prefer: () => [] };
  const seeds = Array.from({ length: SEEDS }, (_, index) => {
    // A year is learned from under the next number.
    const year = openYear(world, SEED + 2 * index);
    const best = average(findTruth(world, year, pickOf(prefer, year.random), 1));
    return { cases: year.pool.length, best, drawn: average(findTruth(world, year, drawBy(year.random))) };
  });
  const [best, drawn] = [seeds.map((one) => one.best), seeds.map((one) => one.drawn)];
  const { mean, margin } = estimateDifference(drawn, best);
  const cases = seeds.reduce((sum, one) => sum + one.cases, 0);
  console.log(
    `| ${world.name} | ${cases} | ${average(best).toFixed(2)} | ${average(drawn).toFixed(2)} | ${mean.toFixed(2)} ±${margin.toFixed(2)} |`,
  );
}

function judgeWorld(world: World): void {
  const year = openYear(world);
  const { pool, decide, random } = year;
  const names = [...POLICIES.keys()].filter((name) => name !== 'even');
  const tallies = names.map((name) => {
    const { prefer } = POLICIES.get(name) ?? { prefer: () => [] };
    const truth = average(findTruth(world, year, pickOf(prefer, random)));
    return {
      name,
      prefer,
      truth,
      judged: 0,
      weighted: 0,
      robust: 0,
      effective: 0,
      width: 0,
      narrow: 0,
      off: 0,
    };
  });
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const pick = drawBy(random);
    const log = Array.from({ length: CASES }, (_, index): LoggedCase => {
      const failed = pool[Math.floor(random.uniform() * pool.length)] ?? pool[0];
      if (!failed) throw new Error('no cases');
      return { customer: String(index), ...playCase(world, failed, decide, pick) };
    });
    for (const tally of tallies) {
      const { effective, estimates } = evaluatePolicy(log, tally.prefer);
      tally.effective += effective;
      if (!estimates) continue;
      const covers = ({ low, high }: { low: number; high: number }) =>
        Number(low <= tally.truth && tally.truth <= high);
      tally.judged += 1;
      tally.weighted += covers(estimates.weighted);
      tally.robust += covers(estimates.robust);
      tally.width += estimates.weighted.high - estimates.weighted.low;
      tally.narrow += estimates.robust.high - estimates.robust.low;
      tally.off += estimates.robust.percent - tally.truth;
    }
  }
  for (const { name, truth, judged, ...sums } of tallies) {
    const share = (count: number) => (judged === 0 ? '–' : ((100 * count) / judged).toFixed(1));
    const mean = (value: number) => (judged === 0 ? '–' : (value / judged).toFixed(1));
    console.log(
      `| ${world.name} | ${name} | ${truth.toFixed(1)} | ${(sums.effective / DRAWS).toFixed(0)} | ${((100 * judged) / DRAWS).toFixed(0)} | ${share(sums.weighted)} | ${share(sums.robust)} | ${mean(sums.width)} | ${mean(sums.narrow)} | ${mean(sums.off)} |`,
    );
  }
}

const LOSS = '| world | cases | always the best, % | drawn, % | difference, points |\n|---|---|---|---|---|';
const COVERAGE =
  '| world | policy | truth, % | effective cases | judged, % | covered, weighted, % | covered, robust, % | width, weighted | width, robust | robust less truth |\n|---|---|---|---|---|---|---|---|---|---|';

console.log(isLoss ? LOSS : `${DRAWS} draws of ${CASES} cases, seed ${SEED}\n\n${COVERAGE}`);
for (const world of WORLDS)
  if (NAMES.includes(world.name)) {
    if (isLoss) measureLoss(world);
    else judgeWorld(world);
  }
