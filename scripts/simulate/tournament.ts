/** All contestants on the same cases, world by world and seed by seed. */
import {
  createFixed,
  createMornings,
  createNone,
  createSmartRules,
  createSpread,
  evenly,
} from './baselines.ts';
import { firstSuccess, generateCases } from './cases.ts';
import { createOurs } from './our-policy.ts';
import { type Contestant, play, type Result } from './play.ts';
import type { SimulatedCase } from './simulated-case.ts';
import type { World } from './worlds.ts';

export const FIXED = 'fixed 1/3/5/7';
export const SPREAD_4 = 'spread 4, 24 d';
export const SPREAD_8 = 'spread 8, 28 d';
export const TWO_WEEKS = 'fixed 8 in 14 d';
export const SMART = 'smart rules, 8 in 14 d';
export const OURS_4 = 'ours, 4 in 30 d';
export const OURS_8 = 'ours, 8 in 30 d';
export const CLAIRVOYANT = 'clairvoyant bound';

type Entry = (world: World, cases: readonly SimulatedCase[], seed: number) => Contestant;

const ours =
  (retries: number): Entry =>
  () =>
    createOurs({ limits: { perInvoice: retries + 1, unexplained: Number.POSITIVE_INFINITY } });

/** Spread over the month, more of them early: the baseline of the goals. */
const EIGHT_DAYS = [1, 3, 6, 9, 13, 17, 22, 28];

/** Tries are counted after the first payment, for all alike. */
export const ENTRIES: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ['no retry', createNone],
  [FIXED, () => createFixed([1, 3, 5, 7])],
  ['fixed 3/5/7/14', () => createFixed([3, 5, 7, 14])],
  [TWO_WEEKS, () => createFixed([1, 2, 4, 6, 8, 10, 12, 14])],
  ['fixed 15 in 30 d', () => createFixed(evenly(15, 30))],
  [SMART, () => createSmartRules(8)],
  [SPREAD_4, () => createSpread(4, 24)],
  ['spread 4, 28 d', () => createSpread(4, 28)],
  [SPREAD_8, () => createMornings(EIGHT_DAYS)],
  ['evenly 8, 28 d', () => createSpread(8, 28)],
  [OURS_4, ours(4)],
  [OURS_8, ours(8)],
  [CLAIRVOYANT, createClairvoyant],
]);

/** Enough to judge a world that only asks what else might be true. */
export const ESSENTIAL: readonly string[] = [
  ...[FIXED, TWO_WEEKS, SMART, SPREAD_4, SPREAD_8, OURS_4, OURS_8, CLAIRVOYANT],
];

export interface WorldResults {
  readonly world: string;
  readonly cases: number;
  /** By contestant, one result a seed. */
  readonly results: ReadonlyMap<string, readonly Result[]>;
}

export interface Tournament {
  readonly worlds: readonly World[];
  readonly seeds: readonly number[];
  contestantsOf(world: World): readonly string[];
}

/** Yields the share that is done, after each contestant's year. */
export function* playTournament(tournament: Tournament): Generator<number, WorldResults[], undefined> {
  const { worlds, seeds, contestantsOf } = tournament;
  const years = worlds.reduce((sum, world) => sum + contestantsOf(world).length * seeds.length, 0);
  let played = 0;
  const all: WorldResults[] = [];
  for (const world of worlds) {
    const results = new Map<string, Result[]>(contestantsOf(world).map((name) => [name, []]));
    let count = 0;
    for (const seed of seeds) {
      const cases = generateCases(world, seed);
      count += cases.length;
      for (const [name, list] of results) {
        list.push(playOne(name, { world, cases, seed }));
        played += 1;
        yield played / years;
      }
    }
    all.push({ world: world.name, cases: count, results });
  }
  return all;
}

function playOne(
  name: string,
  { world, cases, seed }: { world: World; cases: readonly SimulatedCase[]; seed: number },
): Result {
  const enter = ENTRIES.get(name);
  if (!enter) throw new RangeError(`no contestant is called ${name}`);
  return play(world, cases, enter(world, cases, seed));
}

/** The bound: one try at the first hour that works. Nobody can know it; nobody does better with one try a case. */
export function createClairvoyant(world: World, cases: readonly SimulatedCase[]): Contestant {
  return {
    next: ({ id }, tries) => {
      const failed = cases[id];
      return failed && tries.length === 0 ? firstSuccess(world, failed) : undefined;
    },
  };
}
