/**
 * Chooses the morning of the next retry. The mornings of all retries left are planned together, each added where it brings most
 * discounted money, which is at least 63 % of the best plan's (stripe-facts 13.7). The first one is made; after its answer everything is
 * planned again. Pure.
 */
import { type LocalDay, PAY_SCHEDULES, type PaySchedule } from '../calendar/pay-calendar.ts';
import type { Odds } from '../payment-case.ts';
import {
  type Belief,
  COUNT,
  chanceOn,
  type Evidence,
  KINDS,
  type Kind,
  kindOf,
  listLive,
  type Morning,
  MS_PER_DAY,
  type Row,
  rowOf,
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
  readonly odds: Odds;
  /** The explanation that speaks most for this morning, with its share. A pay day of several schedules names none. */
  readonly because: {
    readonly kind: Kind;
    readonly schedule: PaySchedule | undefined;
    readonly share: number;
  };
}

/** Money later is worth less, as the customer may be gone (0.4 % a day, stripe-facts 13.6), and the merchant waits. */
const DISCOUNT = 0.005;
const MIN_GAIN = 0.004;

/** Rows are mornings, columns are explanations. */
interface Board extends Belief {
  readonly rows: readonly Row[];
  /** What money is worth on each. */
  readonly worth: readonly number[];
  /** Rows in order. */
  readonly plan: number[];
  /** What each row would add, and to how long a plan. */
  readonly gains: number[];
  readonly steps: number[];
}

/** No window has so many mornings that pay. */
const MAX_STEPS = 40;
/** For each step of the plan and column: its share of what is still unpaid there, and the worth of this step and the rest. */
const open = new Float64Array(COUNT * (MAX_STEPS + 1));
const rest = new Float64Array(COUNT * (MAX_STEPS + 1));

export function chooseMorning(request: MorningRequest): ChosenMorning | undefined {
  const board = layOut(request);
  const { plan, gains } = board;
  const retries = Math.min(request.retries, MAX_STEPS);
  while (plan.length < retries) {
    const row = findBest(board, Math.max(MIN_GAIN, request.minGain));
    if (row === undefined) break;
    gains[row] = Number.NEGATIVE_INFINITY;
    plan.splice(stepOf(plan, row), 0, row);
    walk(board);
  }
  return describe(board, request.mornings);
}

function layOut(request: MorningRequest): Board {
  const { mornings, now } = request;
  const belief = weigh(request);
  open.set(belief.shares);
  rest.fill(0, 0, COUNT);
  return {
    ...belief,
    rows: mornings.map((morning) => rowOf(morning, belief.firstMs)),
    worth: mornings.map(({ ms }) => Math.exp((-DISCOUNT * (ms - now)) / MS_PER_DAY)),
    plan: [],
    gains: mornings.map(() => Number.POSITIVE_INFINITY),
    steps: mornings.map(() => -1),
  };
}

/** Adds up, for each step and explanation, what is unpaid and the worth from there on. */
function walk(board: Board): void {
  const { plan, rows, worth } = board;
  const end = plan.length * COUNT;
  rest.fill(0, 0, end + COUNT);
  for (let step = 0, cell = 0; step < plan.length; step += 1, cell += COUNT) {
    const row = rows[plan[step] ?? -1];
    if (!row) continue;
    open.copyWithin(cell + COUNT, cell, cell + COUNT);
    const { indexes, chances, count } = listLive(row, dayBefore(board, step));
    for (let place = 0; place < count; place += 1) {
      const here = cell + (indexes[place] ?? 0);
      rest[here] = chances[place] ?? 0;
      open[here + COUNT] = (open[here] ?? 0) * (1 - (rest[here] ?? 0));
    }
  }
  for (let step = plan.length - 1, cell = end - 1; step >= 0; step -= 1) {
    const own = worth[plan[step] ?? -1] ?? 0;
    for (; cell >= step * COUNT; cell -= 1) {
      const later = rest[cell + COUNT] ?? 0;
      rest[cell] = later + (rest[cell] ?? 0) * (own - later);
    }
  }
}

/** The day of the refusal before a step of the plan. */
function dayBefore({ plan, rows, refusedOn }: Board, step: number): LocalDay {
  return rows[plan[step - 1] ?? -1]?.day ?? refusedOn;
}

/** A row never adds more than it did to a shorter plan, so only rows that added more than the best one does are looked at again. */
function findBest(board: Board, least: number): number | undefined {
  const { plan, gains, steps } = board;
  for (;;) {
    let best = -1;
    let most = least;
    for (let row = 0; row < gains.length; row += 1) {
      const gain = gains[row] ?? 0;
      if (gain < most || (gain === most && best >= 0)) continue;
      most = gain;
      best = row;
    }
    if (best < 0) return undefined;
    if (steps[best] === plan.length) return best;
    gains[best] = gainOf(board, best);
    steps[best] = plan.length;
  }
}

/** Where a row stands among those of the plan. */
function stepOf(plan: readonly number[], row: number): number {
  let step = 0;
  while ((plan[step] ?? row) < row) step += 1;
  return step;
}

/** What a row would add to the plan, between the steps before and after it: nothing where it has no chance. */
function gainOf(board: Board, place: number): number {
  const { plan, rows, worth } = board;
  const row = rows[place];
  if (!row) return 0;
  const step = stepOf(plan, place);
  const before = dayBefore(board, step);
  const next = rows[plan[step] ?? -1];
  const own = worth[place] ?? 0;
  const nextWorth = worth[plan[step] ?? -1] ?? 0;
  const { indexes, chances, count } = listLive(row, before);
  let gain = 0;
  for (let at = 0; at < count; at += 1) {
    const index = indexes[at] ?? 0;
    const cell = step * COUNT + index;
    const later = rest[cell + COUNT] ?? 0;
    const then = next ? later + chanceOn(next, index, row.day) * (nextWorth - later) : 0;
    gain += (open[cell] ?? 0) * (then - (rest[cell] ?? 0) + (chances[at] ?? 0) * (own - then));
  }
  return gain;
}

function describe(
  { plan, shares, rows, refusedOn }: Board,
  mornings: readonly Morning[],
): ChosenMorning | undefined {
  const [first = -1] = plan;
  const [morning, row] = [mornings[first], rows[first]];
  if (!morning || !row) return undefined;
  const speaks = shares.map((share, index) => share * chanceOn(row, index, refusedOn));
  const [kind, spoken] = KINDS.map((one) => [one, sum(speaks, one)] as const).reduce((most, one) =>
    one[1] > most[1] ? one : most,
  );
  const paydays = speaks.subarray(0, PAY_SCHEDULES.length);
  const main = paydays.indexOf(Math.max(...paydays));
  const isMost = kind === 'payday' && (speaks[main] ?? 0) > spoken / 2;
  const end = plan.length * COUNT;
  return {
    ...morning,
    odds: { retry: sum(speaks), plan: 1 - sum(open.subarray(end, end + COUNT)) },
    because: {
      kind,
      schedule: isMost ? PAY_SCHEDULES[main] : undefined,
      share: isMost ? (shares[main] ?? 0) : sum(shares, kind),
    },
  };
}

function sum(values: Float64Array, kind?: Kind): number {
  return values.reduce((total, one, index) => total + (!kind || kindOf(index) === kind ? one : 0), 0);
}
