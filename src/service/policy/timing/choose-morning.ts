/**
 * Chooses the morning of the next retry. The mornings of all retries left are planned together, each added where it brings most
 * discounted money, which is at least 63 % of the best plan's (stripe-facts 13.7). The first one is made; after its answer everything is
 * planned again. Pure.
 */
import { PAY_SCHEDULES, type PaySchedule } from '../calendar/pay-calendar.ts';
import {
  COUNT,
  chanceAfterDays,
  chancesAt,
  type Evidence,
  KINDS,
  type Kind,
  kindOf,
  MONEY,
  type Morning,
  MS_PER_DAY,
  PAYDAYS,
  paydaysOf,
  SURPRISE,
  weigh,
} from './explanations.ts';

export interface MorningRequest extends Evidence {
  /** Allowed mornings, in order. */
  readonly mornings: readonly Morning[];
  readonly now: number;
  readonly retries: number;
  /** A retry that adds less than this share of the amount is not made. */
  readonly minGain: number;
}

export interface ChosenMorning extends Morning {
  readonly odds: { readonly retry: number; readonly plan: number };
  /** The explanation that speaks most for this morning, with its share. A pay day of several schedules names none. */
  readonly because: {
    readonly kind: Kind;
    readonly schedule: PaySchedule | undefined;
    readonly share: number;
  };
}

/** Money later is worth less, as the customer may be gone. Per day. */
const DISCOUNT = 0.01;
const MIN_GAIN = 0.01;

/** Rows are mornings, columns are explanations. */
interface Board {
  readonly mornings: readonly Morning[];
  readonly shares: Float64Array;
  readonly paydays: readonly Int32Array[];
  /** The chance of each morning if nothing is tried before it. */
  readonly alone: readonly Float64Array[];
  /** What money is worth on each morning. */
  readonly worth: Float64Array;
  /** Rows in order. */
  readonly plan: number[];
  /** For each step of the plan and column: the chance that all before fail, and the worth of this step and the rest. */
  readonly open: Float64Array;
  readonly rest: Float64Array;
}

export function chooseMorning(request: MorningRequest): ChosenMorning | undefined {
  const board = layOut(request);
  const { plan, mornings } = board;
  const bounds = new Float64Array(mornings.length).fill(Number.POSITIVE_INFINITY);
  while (plan.length < request.retries) {
    const row = findBest(board, bounds, Math.max(MIN_GAIN, request.minGain));
    if (row === undefined) break;
    bounds[row] = Number.NEGATIVE_INFINITY;
    plan.push(row);
    plan.sort((one, other) => one - other);
    walk(board);
  }
  return describe(board);
}

function layOut(request: MorningRequest): Board {
  const { mornings, now, retries } = request;
  const belief = weigh(request);
  return {
    mornings,
    shares: belief.shares,
    paydays: mornings.map(({ day }) => paydaysOf(day)),
    alone: mornings.map((morning) => chancesAt(morning, belief)),
    worth: Float64Array.from(mornings, ({ ms }) => Math.exp((-DISCOUNT * (ms - now)) / MS_PER_DAY)),
    plan: [],
    open: new Float64Array(COUNT * (retries + 1)).fill(1),
    rest: new Float64Array(COUNT * (retries + 1)),
  };
}

/** The chances of a row once the planned row before it has failed. */
function chancesAfter(board: Board, row: number, before: number | undefined): Float64Array {
  const alone = board.alone[row] ?? NONE;
  if (before === undefined) return alone;
  const chances = alone.slice();
  const [own, spent] = [board.paydays[row] ?? [], board.paydays[before] ?? []];
  for (let index = 0; index < PAYDAYS; index += 1) if (own[index] === spent[index]) chances[index] = SURPRISE;
  const days = (board.mornings[row]?.day ?? 0) - (board.mornings[before]?.day ?? 0);
  for (let index = PAYDAYS; index < MONEY; index += 1) chances[index] = chanceAfterDays(index, days);
  return chances;
}
const NONE = new Float64Array(COUNT);

/** Adds up, for each step and explanation, the worth from there on; of the plan and the chance that all of it fails. */
function walk(board: Board): void {
  const { plan, open, rest, worth } = board;
  const chances = plan.map((row, step) => chancesAfter(board, row, plan[step - 1]));
  chances.forEach((ofStep, step) => {
    const cell = step * COUNT;
    for (let index = 0; index < COUNT; index += 1)
      open[cell + COUNT + index] = (open[cell + index] ?? 0) * (1 - (ofStep[index] ?? 0));
  });
  for (let step = plan.length - 1; step >= 0; step -= 1) {
    const ofStep = chances[step] ?? NONE;
    const own = worth[plan[step] ?? 0] ?? 0;
    const cell = step * COUNT;
    for (let index = 0; index < COUNT; index += 1) {
      const chance = ofStep[index] ?? 0;
      rest[cell + index] = chance * own + (1 - chance) * (rest[cell + COUNT + index] ?? 0);
    }
  }
}

/** A row never adds more than it did to a shorter plan, so only rows whose old gain exceeds the best new one are looked at. */
function findBest(board: Board, bounds: Float64Array, least: number): number | undefined {
  const fresh = new Set<number>();
  for (;;) {
    let best: number | undefined;
    let most = least;
    for (let row = 0; row < bounds.length; row += 1) {
      const bound = bounds[row] ?? 0;
      if (bound < most || (bound === most && best !== undefined)) continue;
      most = bound;
      best = row;
    }
    if (best === undefined || fresh.has(best)) return best;
    bounds[best] = gainOf(board, best);
    fresh.add(best);
  }
}

/** What a row would add to the plan, between the steps before and after it. */
function gainOf(board: Board, row: number): number {
  const { plan, open, rest, worth, shares } = board;
  const later = plan.findIndex((one) => one > row);
  const step = later < 0 ? plan.length : later;
  const next = plan[step];
  const chances = chancesAfter(board, row, plan[step - 1]);
  const nextChances = next === undefined ? NONE : chancesAfter(board, next, row);
  const own = worth[row] ?? 0;
  const nextWorth = worth[next ?? 0] ?? 0;
  let gain = 0;
  for (let index = 0; index < COUNT; index += 1) {
    const cell = step * COUNT + index;
    const chance = chances[index] ?? 0;
    const nextChance = nextChances[index] ?? 0;
    const then = nextChance * nextWorth + (1 - nextChance) * (rest[cell + COUNT] ?? 0);
    const value = chance * own + (1 - chance) * then;
    gain += (shares[index] ?? 0) * (open[cell] ?? 0) * (value - (rest[cell] ?? 0));
  }
  return gain;
}

function describe({ plan, mornings, shares, alone, open }: Board): ChosenMorning | undefined {
  const [first = -1] = plan;
  const morning = mornings[first];
  if (!morning) return undefined;
  const spoken = { payday: 0, renewal: 0, passes: 0, dead: 0 };
  const share = { ...spoken };
  const speaks = shares.map((one, index) => one * (alone[first]?.[index] ?? 0));
  let failing = 0;
  let main = 0;
  for (let index = 0; index < COUNT; index += 1) {
    spoken[kindOf(index)] += speaks[index] ?? 0;
    share[kindOf(index)] += shares[index] ?? 0;
    failing += (shares[index] ?? 0) * (open[plan.length * COUNT + index] ?? 0);
    if ((speaks[index] ?? 0) > (speaks[main] ?? 0)) main = index;
  }
  const kind = KINDS.reduce((most, one) => (spoken[one] > spoken[most] ? one : most));
  const isMost = kind === 'payday' && (speaks[main] ?? 0) > spoken.payday / 2;
  return {
    ...morning,
    odds: { retry: speaks.reduce((sum, one) => sum + one), plan: 1 - failing },
    because: {
      kind,
      schedule: isMost ? PAY_SCHEDULES[main] : undefined,
      share: isMost ? (shares[main] ?? 0) : share[kind],
    },
  };
}
