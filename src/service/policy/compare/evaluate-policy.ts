/**
 * What another policy would have recovered, judged by what the engine's draws did: no case is played again. A case counts by how much
 * likelier the other policy would have made the same choices. Two estimates of the share of cases recovered: self-normalized inverse
 * propensity, and doubly robust (Jiang and Li 2016), which starts from what the log itself says of each choice and corrects that.
 */
import type { TimeChoice, TimeChoices } from '../payment-case.ts';
import { chanceOf } from './chance.ts';

/** `chosen` is the moment, in milliseconds. */
export interface LoggedChoice {
  readonly choices: TimeChoices;
  readonly chosen: number;
}

export interface LoggedCase {
  /** Whose cases may end alike. */
  readonly customer: string;
  /** In the order in which they were made. */
  readonly decisions: readonly LoggedChoice[];
  readonly isRecovered: boolean;
}

/** How much another policy would give to each option of the engine; weights of any size. */
type Preference = (options: readonly TimeChoice[]) => readonly number[];

const drawn = ({ by }: TimeChoice) => by.engine ?? 0;
const onlyHour =
  (hour: TimeChoice['hour']): Preference =>
  (options) => {
    const weights = options.map((one) => (one.hour === hour ? drawn(one) : 0));
    return weights.some((weight) => weight > 0) ? weights : options.map(drawn);
  };
const only =
  (place: (options: readonly TimeChoice[]) => TimeChoice | undefined): Preference =>
  (options) => {
    const chosen = place(options);
    return options.map((one) => Number(one === chosen));
  };

export const POLICIES: ReadonlyMap<string, { readonly words: string; readonly prefer: Preference }> = new Map(
  Object.entries({
    best: {
      words: 'always the time that the engine believes best',
      prefer: only((options) => [...options].sort((one, other) => drawn(other) - drawn(one))[0]),
    },
    soonest: { words: 'of the times about as good, the first', prefer: only((options) => options[0]) },
    latest: { words: 'of the times about as good, the last', prefer: only((options) => options.at(-1)) },
    even: { words: 'each of the times about as good alike', prefer: (options) => options.map(() => 1) },
    morning: { words: 'in the morning only', prefer: onlyHour('morning') },
    evening: { words: 'in the evening wherever that is about as good', prefer: onlyHour('evening') },
    midnight: { words: 'after midnight wherever that is about as good', prefer: onlyHour('midnight') },
  }),
);

/** Effective cases below which an interval would not hold, also as a share of all. */
export const MIN_EFFECTIVE = 300;
const MIN_EFFECTIVE_SHARE = 0.1;
/** Weights are 1 on average. Farther off, choices of the other policy that count most are missing from the log. */
const MOST_OFF = 0.1;
const NORMAL = 1.96;

/** A share of cases, in percent, with a 95 % interval. */
export interface SharePercent {
  readonly percent: number;
  readonly low: number;
  readonly high: number;
}

export interface Evaluation {
  readonly cases: number;
  /** So many cases drawn by the other policy itself would say as much (Kish). */
  readonly effective: number;
  readonly recovered: SharePercent;
  /** Absent where the effective cases are too few. */
  readonly estimates?: {
    readonly weighted: SharePercent;
    readonly robust: SharePercent;
    /** Robust estimate less what was recovered, in points. */
    readonly difference: SharePercent;
  };
}

/** Cases of the engine's arm whose draws are all known, closed and old enough. */
export function evaluatePolicy(all: readonly LoggedCase[], prefer: Preference): Evaluation {
  const cases = all.map((one) => weighCase(one, prefer));
  const weights = cases.map(({ weight }) => weight);
  const total = sum(weights);
  const effective = total === 0 ? 0 : total ** 2 / sum(weights.map((weight) => weight ** 2));
  const results = all.map(({ isRecovered }) => Number(isRecovered));
  const customers = all.map(({ customer }) => customer);
  const recovered = toShare(results, customers);
  const base = { cases: all.length, effective, recovered };
  const isSupported =
    effective >= Math.max(MIN_EFFECTIVE, MIN_EFFECTIVE_SHARE * all.length) &&
    Math.abs(total / all.length - 1) <= MOST_OFF;
  if (!isSupported) return base;
  const share = sum(weights.map((weight, index) => weight * (results[index] ?? 0))) / total;
  // Of a ratio: what each case pulls it by, as if it were not part of it (jackknife).
  const pulls = weights.map(
    (weight, index) => (weight * ((results[index] ?? 0) - share) * all.length) / (total - weight),
  );
  const robust = judgeRobustly(all, cases);
  const difference = toShare(
    robust.map((value, index) => value - (results[index] ?? 0)),
    customers,
  );
  return {
    ...base,
    estimates: {
      weighted: around(toShare(pulls, customers), 100 * share),
      robust: toShare(robust, customers),
      difference,
    },
  };
}

interface Step {
  /** By how much likelier the other policy makes the choice. */
  readonly ratio: number;
  readonly believed: number;
  /** What the engine believed of what the other policy would have chosen. */
  readonly expected: number;
}

interface WeighedCase {
  readonly steps: readonly Step[];
  readonly weight: number;
}

function weighCase({ decisions }: LoggedCase, prefer: Preference): WeighedCase {
  const steps = decisions.flatMap(({ choices, chosen }) => {
    const options = choices.options.filter((one) => drawn(one) > 0);
    const place = options.findIndex(({ ms }) => ms === chosen);
    const option = options[place];
    if (!option) return [];
    const preferred = prefer(options);
    const total = sum(preferred);
    const expected = sum(options.map(({ believed }, index) => ((preferred[index] ?? 0) / total) * believed));
    const ratio = (preferred[place] ?? 0) / total / drawn(option);
    return [{ ratio, believed: option.believed, expected }];
  });
  return { steps, weight: steps.reduce((product, { ratio }) => product * ratio, 1) };
}

/**
 * One value a case; their mean is the estimate. A choice is worth what was believed of it, and for the rest what cases recovered that
 * went on: both from the other half of the customers, so that no case judges itself.
 */
function judgeRobustly(all: readonly LoggedCase[], cases: readonly WeighedCase[]): number[] {
  const halves = all.map(({ customer }) => Number(chanceOf(`half ${customer}`) < 0.5));
  const models = [0, 1].map((half) =>
    fitModel(
      all.map(({ isRecovered }, index) => ({ isRecovered, steps: cases[index]?.steps ?? [] })),
      (index) => halves[index] !== half,
    ),
  );
  return all.map(({ isRecovered }, index) => {
    const { steps = [] } = cases[index] ?? {};
    const model = models[halves[index] ?? 0];
    if (!model) return Number(isRecovered);
    return steps.reduceRight((after, { ratio, believed, expected }, place) => {
      const worth = (chance: number) => model.worth(place, chance);
      return worth(expected) + ratio * (after - worth(believed));
    }, Number(isRecovered));
  });
}

interface Ended {
  readonly steps: readonly Step[];
  readonly isRecovered: boolean;
}

/** By the number of the try: how many of those that the odds add up to were paid, and the share recovered of cases that went on. */
function fitModel(cases: readonly Ended[], isCounted: (index: number) => boolean) {
  const counted = cases.filter((_, index) => isCounted(index));
  const longest = Math.max(0, ...counted.map(({ steps }) => steps.length));
  const places = Array.from({ length: longest }, (_, place) => {
    const tried = counted.filter(({ steps }) => steps.length > place);
    const isLast = ({ steps }: Ended) => steps.length === place + 1;
    const believed = sum(tried.map(({ steps }) => steps[place]?.believed ?? 0));
    const paid = tried.filter((one) => isLast(one) && one.isRecovered).length;
    const on = tried.filter((one) => !(isLast(one) && one.isRecovered));
    const recovered = on.filter(({ isRecovered }) => isRecovered).length;
    return { factor: (paid + 1) / (believed + 1), later: on.length === 0 ? 0 : recovered / on.length };
  });
  return {
    worth: (place: number, believed: number): number => {
      const { factor, later } = places[place] ?? { factor: 1, later: 0 };
      const chance = Math.min(1, factor * believed);
      return chance + (1 - chance) * later;
    },
  };
}

/** Mean and interval of values that go together by customer. */
function toShare(values: readonly number[], customers: readonly string[]): SharePercent {
  const mean = sum(values) / values.length;
  const ofCustomer = new Map<string, number>();
  values.forEach((value, index) => {
    const customer = customers[index] ?? '';
    ofCustomer.set(customer, (ofCustomer.get(customer) ?? 0) + value - mean);
  });
  const squares = sum([...ofCustomer.values()].map((one) => one ** 2));
  const clusters = Math.max(2, ofCustomer.size);
  const margin = (NORMAL * Math.sqrt((squares * clusters) / (clusters - 1))) / values.length;
  return { percent: 100 * mean, low: 100 * (mean - margin), high: 100 * (mean + margin) };
}

/** Around that, with the same margin. */
function around({ low, high }: SharePercent, percent: number): SharePercent {
  const margin = (high - low) / 2;
  return { percent, low: percent - margin, high: percent + margin };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0);
}
