/**
 * Chooses the mornings of the remaining tries. A plan is worth the money it is likely to bring, discounted by the wait.
 * Mornings are added one by one, always the one that adds most: that stays near the best plan, because each try adds
 * less the more there are (stripe-facts 13.7).
 */

import { type LocalDay, PAY_SCHEDULES } from '../calendar/pay-calendar.ts';
import {
  type Belief,
  chanceOf,
  coverAfter,
  type Figures,
  type PaydayTable,
  SURPRISE,
} from '../learning/beliefs.ts';
import { HYPOTHESES } from '../learning/hypotheses.ts';

export interface Slot {
  readonly ms: number;
  readonly day: LocalDay;
}

export interface PlannedRetry extends Slot {
  /** The chance that this try brings the money. */
  readonly chance: number;
  /** The hypothesis that speaks most for it, and the share of all about paydays. */
  readonly because: { readonly index: number; readonly paydayShare: number };
}

/** Another first try for the same rest of a plan. */
export interface NearRetry extends PlannedRetry {
  /** What it adds to the rest, as a share of what the best one adds. */
  readonly share: number;
}

export interface Plan {
  /** The first in the order of time. */
  readonly next: PlannedRetry | undefined;
  /** That and what could be in its place for about as much, in the order of time. */
  readonly near: readonly NearRetry[];
  /** The chance that any of them brings the money. */
  readonly chance: number;
}

/** Money later is worth less: the customer may be gone. Per day. */
const DISCOUNT = 0.01;
const MS_PER_DAY = 86_400_000;
const PAYDAYS = PAY_SCHEDULES.length;
const COUNT = HYPOTHESES.length;

export interface PlanRequest {
  readonly belief: Belief;
  readonly figures: Figures;
  readonly paydays: PaydayTable;
  readonly slots: readonly Slot[];
  readonly now: number;
  /** How many tries are left. */
  readonly tries: number;
  /** A try that adds less is not made. */
  readonly minGain: number;
}

export function planRetries(request: PlanRequest): Plan {
  const board = setUp(request);
  /** Places of the chosen slots, in the order of time. */
  const chain: number[] = [];
  const bounds = new Float64Array(board.width).fill(Number.POSITIVE_INFINITY);
  while (chain.length < request.tries) {
    const place = findBest(board, chain, bounds);
    if (place === undefined || (bounds[place] ?? 0) < request.minGain) break;
    chain.push(place);
    chain.sort((one, other) => one - other);
    // Chosen for good.
    bounds[place] = Number.NEGATIVE_INFINITY;
  }
  return describe(board, chain, request.slots);
}

/** Rows are hypotheses, columns are slots. Hypotheses that explain next to nothing are left out. */
interface Board {
  readonly width: number;
  readonly weights: Float64Array;
  readonly rows: readonly number[];
  /** The chance of each slot under each hypothesis, after the answers so far. */
  readonly alone: Float64Array;
  readonly payday: Int32Array;
  readonly day: Int32Array;
  /** For each hypothesis and number of days: the chance so long after another planned try failed; -1 if that says nothing. */
  readonly afterGap: Float64Array;
  /** What money is worth on each slot. */
  readonly worth: Float64Array;
}

/** A first try that adds less than this share of the best one's is not among those to choose from. */
export const NEAR = 0.95;
const NEGLIGIBLE = 0.001;
const GAPS = 64;

function setUp({ belief, figures, paydays, slots, now }: PlanRequest): Board {
  const width = slots.length;
  const board: Board = {
    width,
    weights: belief.weights,
    rows: Array.from({ length: COUNT }, (_, index) => index).filter(
      (index) => (belief.weights[index] ?? 0) > NEGLIGIBLE,
    ),
    alone: new Float64Array(COUNT * width),
    payday: new Int32Array(COUNT * width),
    day: Int32Array.from(slots, ({ day }) => day),
    afterGap: new Float64Array(COUNT * GAPS).fill(-1),
    worth: Float64Array.from(slots, ({ ms }) => Math.exp((-DISCOUNT * (ms - now)) / MS_PER_DAY)),
  };
  slots.forEach(({ ms, day }, place) => {
    const latest = paydays(day);
    const moment = { age: (ms - belief.firstMs) / MS_PER_DAY, gap: (ms - belief.lastMs) / MS_PER_DAY };
    for (const index of board.rows) {
      const cell = index * width + place;
      const payday = latest[index];
      // Without paydays no two slots share one.
      board.payday[cell] = payday ?? -1 - place;
      if (payday === undefined) board.alone[cell] = chanceOf(index, moment, figures);
      else
        board.alone[cell] =
          belief.spentSince[index] === payday ? SURPRISE : coverAfter(index, day - payday, figures);
    }
  });
  for (const index of board.rows) {
    if (HYPOTHESES[index]?.kind !== 'chance') continue;
    for (let gap = 0; gap < GAPS; gap += 1)
      board.afterGap[index * GAPS + gap] = chanceOf(index, { age: 0, gap }, figures);
  }
  return board;
}

/** The chance of a slot under a hypothesis, after a planned try before it (-1: none) failed. */
function chanceAfter(board: Board, index: number, place: number, before: number): number {
  const row = index * board.width;
  const alone = board.alone[row + place] ?? 0;
  if (before < 0) return alone;
  if (index < PAYDAYS) return board.payday[row + place] === board.payday[row + before] ? SURPRISE : alone;
  const gap = (board.day[place] ?? 0) - (board.day[before] ?? 0);
  const after = board.afterGap[index * GAPS + gap] ?? -1;
  return after < 0 ? alone : after;
}

/**
 * The place that adds most worth to the chain. A place never adds more than it did to a shorter chain, so those whose
 * old gain is behind the best new one need not be looked at.
 */
function findBest(board: Board, chain: readonly number[], bounds: Float64Array): number | undefined {
  const walked = walkAll(board, chain);
  const isFresh = new Uint8Array(board.width);
  for (;;) {
    const place = indexOfMax(bounds);
    if (place === undefined) return undefined;
    if (isFresh[place] === 1) return place;
    bounds[place] = gainOf(board, place, { chain, walked });
    isFresh[place] = 1;
  }
}

function indexOfMax(values: Float64Array): number | undefined {
  let best: number | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? most;
    if (value <= most) continue;
    most = value;
    best = index;
  }
  return best;
}

/** For each hypothesis and position of a chain: the chance that all tries before it fail, and the worth of the rest. */
interface Walked {
  readonly open: Float64Array;
  readonly rest: Float64Array;
}

function walkAll(board: Board, chain: readonly number[]): Walked {
  const size = COUNT * (chain.length + 1);
  const walked = { open: new Float64Array(size), rest: new Float64Array(size) };
  for (const index of board.rows) walk(board, index, chain, walked);
  return walked;
}

/** What a place would add, between the chosen tries before and after it. */
function gainOf(
  board: Board,
  place: number,
  { chain, walked }: { chain: readonly number[]; walked: Walked },
): number {
  const { worth, weights } = board;
  let position = 0;
  while (position < chain.length && (chain[position] ?? 0) < place) position += 1;
  const before = chain[position - 1] ?? -1;
  const next = chain[position] ?? -1;
  const ownWorth = worth[place] ?? 0;
  const nextWorth = worth[next] ?? 0;
  let gain = 0;
  for (const index of board.rows) {
    const cell = index * (chain.length + 1) + position;
    const chance = chanceAfter(board, index, place, before);
    let then = 0;
    if (next >= 0) {
      const nextChance = chanceAfter(board, index, next, place);
      then = nextChance * nextWorth + (1 - nextChance) * (walked.rest[cell + 1] ?? 0);
    }
    const value = chance * ownWorth + (1 - chance) * then;
    gain += (weights[index] ?? 0) * (walked.open[cell] ?? 0) * (value - (walked.rest[cell] ?? 0));
  }
  return gain;
}

function walk(board: Board, index: number, chain: readonly number[], { open, rest }: Walked): void {
  const row = index * (chain.length + 1);
  open[row] = 1;
  let before = -1;
  for (let position = 0; position < chain.length; position += 1) {
    const place = chain[position] ?? 0;
    // Held here for the way back, which replaces it.
    const chance = chanceAfter(board, index, place, before);
    rest[row + position] = chance;
    open[row + position + 1] = (open[row + position] ?? 0) * (1 - chance);
    before = place;
  }
  for (let position = chain.length - 1; position >= 0; position -= 1) {
    const chance = rest[row + position] ?? 0;
    const worth = board.worth[chain[position] ?? 0] ?? 0;
    rest[row + position] = chance * worth + (1 - chance) * (rest[row + position + 1] ?? 0);
  }
}

function describe(board: Board, chain: readonly number[], slots: readonly Slot[]): Plan {
  const first = chain[0];
  const slot = first === undefined ? undefined : slots[first];
  if (first === undefined || !slot) return { next: undefined, near: [], chance: 0 };
  let failing = 0;
  let known = 0;
  const { open } = walkAll(board, chain);
  for (const index of board.rows) {
    const weight = board.weights[index] ?? 0;
    known += weight;
    failing += weight * (open[index * (chain.length + 1) + chain.length] ?? 1);
  }
  const next = { ...slot, ...explain(board, first) };
  return { next, near: listNear(board, chain, slots), chance: known - failing };
}

function listNear(board: Board, [, ...rest]: readonly number[], slots: readonly Slot[]): NearRetry[] {
  const walked = walkAll(board, rest);
  const before = slots.slice(0, rest[0] ?? slots.length);
  const gains = before.map((_, place) => gainOf(board, place, { chain: rest, walked }));
  const most = Math.max(...gains);
  return before.flatMap((slot, place) => {
    const share = (gains[place] ?? 0) / most;
    return share >= NEAR ? [{ ...slot, ...explain(board, place), share }] : [];
  });
}

function explain(board: Board, place: number): Pick<PlannedRetry, 'chance' | 'because'> {
  let byPayday = 0;
  let total = 0;
  let index = 0;
  let most = 0;
  for (const one of board.rows) {
    const share = (board.weights[one] ?? 0) * (board.alone[one * board.width + place] ?? 0);
    total += share;
    if (one < PAYDAYS) byPayday += share;
    if (share <= most) continue;
    most = share;
    index = one;
  }
  return { chance: total, because: { index, paydayShare: total === 0 ? 0 : byPayday / total } };
}
