/** What the policy is held to, and whether the results reach it. */
import type { Result } from './play.ts';
import { average, type Estimate, estimateDifference, formatEstimate } from './statistics.ts';
import {
  CLAIRVOYANT,
  FIXED,
  OURS_4,
  OURS_8,
  SPREAD_4,
  SPREAD_8,
  TWO_WEEKS,
  type WorldResults,
} from './tournament.ts';
import { MAIN_WORLDS } from './worlds.ts';

export interface Goal {
  readonly what: string;
  readonly found: string;
  readonly isMet: boolean;
}

const SAME_SIZE = [
  [OURS_4, SPREAD_4],
  [OURS_8, SPREAD_8],
] as const;

export function judge(all: readonly WorldResults[]): Goal[] {
  return all.flatMap((one) =>
    [
      ...(MAIN_WORLDS.has(one.world) ? [judgeHeadroom(one, OURS_8), judgeFour(one)] : []),
      ...SAME_SIZE.flatMap(([ours, spread]) => judgeAgainstSpread(one, ours, spread)),
      judgeViolations(one),
    ].flatMap((goal) => goal ?? []),
  );
}

/** The share of the way from the fixed schedule to the bound, in percent, by seed. */
export function headroom({ results }: WorldResults, name: string): number[] {
  const bound = valuesOf(results, CLAIRVOYANT);
  const fixed = valuesOf(results, FIXED);
  return valuesOf(results, name).map((value, seed) => {
    const from = fixed[seed] ?? Number.NaN;
    return (100 * (value - from)) / ((bound[seed] ?? Number.NaN) - from);
  });
}

function judgeHeadroom(one: WorldResults, name: string): Goal | undefined {
  if (!one.results.has(name)) return undefined;
  const share = average(headroom(one, name));
  const tries = averageTries(one, name);
  return {
    what: `${one.world}: ${name}: 80 % of the way to the bound, with at most 3.1 tries a case`,
    found: `${share.toFixed(1)} %, ${tries.toFixed(2)}`,
    isMet: share >= 80 && tries <= 3.1,
  };
}

function judgeFour(one: WorldResults): Goal | undefined {
  if (!one.results.has(OURS_4)) return undefined;
  const gain = difference(one, OURS_4, TWO_WEEKS);
  const tries = (100 * averageTries(one, OURS_4)) / averageTries(one, TWO_WEEKS);
  return {
    what: `${one.world}: 4 tries are 1 point better than 8 in 14 days, with at most 60 % of its tries`,
    found: `${inPoints(gain)}, ${tries.toFixed(0)} %`,
    isMet: gain.mean >= 1 && tries <= 60,
  };
}

function judgeAgainstSpread(one: WorldResults, ours: string, spread: string): Goal[] {
  if (!one.results.has(ours) || !one.results.has(spread)) return [];
  const gain = difference(one, ours, spread);
  const what = `${one.world}: ${ours} not more than half a point below ${spread}`;
  return [{ what, found: inPoints(gain), isMet: gain.mean >= -0.5 }];
}

function judgeViolations({ world, results }: WorldResults): Goal {
  const count = [OURS_4, OURS_8]
    .flatMap((name) => results.get(name) ?? [])
    .reduce((sum, { violations }) => sum + violations, 0);
  return { what: `${world}: no limit is violated`, found: String(count), isMet: count === 0 };
}

export function difference({ results }: WorldResults, one: string, other: string): Estimate {
  return estimateDifference(valuesOf(results, one), valuesOf(results, other));
}

function averageTries({ results }: WorldResults, name: string): number {
  return average((results.get(name) ?? []).map(({ triesPerCase }) => triesPerCase));
}

function valuesOf(results: ReadonlyMap<string, readonly Result[]>, name: string): number[] {
  return (results.get(name) ?? []).map(({ recovered }) => recovered);
}

function inPoints(gain: Estimate): string {
  return `${gain.mean >= 0 ? '+' : ''}${formatEstimate(gain, 2)} points`;
}
