/**
 * Chooses the morning of the next retry. The mornings of all retries left are planned together, each added where it brings most
 * discounted money, which is at least 63 % of the best plan's (stripe-facts 13.7). The first one is made; after its answer everything is
 * planned again. Pure.
 */

import type { Odds } from '../payment-case.ts';
import {
  type Belief,
  COUNT,
  chanceOn,
  type Evidence,
  EXPLANATIONS,
  KINDS,
  type Kind,
  listLive,
  MS_PER_DAY,
  type Row,
  rowOf,
  weigh,
} from './explanations.ts';
import type { Morning } from './own-mornings.ts';
import { type LocalDay, PAY_SCHEDULES, type PaySchedule } from './pay-calendar.ts';

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

/** A morning that may be planned. */
interface Candidate {
  readonly morning: Morning;
  readonly row: Row;
  /** The value of money on that morning. */
  readonly worth: number;
  /** What it would add to a plan that was not longer. */
  gain: number;
}

interface Board extends Belief {
  readonly candidates: readonly Candidate[];
  /** Candidates in order of time. */
  readonly plan: Candidate[];
}

/** More retries than any window has room for. */
const MAX_STEPS = 40;
/** Cells by step of the plan and explanation: the share still unpaid there, and the worth of this step and the rest. */
const open = new Float64Array(COUNT * (MAX_STEPS + 1));
const rest = new Float64Array(COUNT * (MAX_STEPS + 1));

export function chooseMorning(request: MorningRequest): ChosenMorning | undefined {
  const belief = weigh(request);
  const candidates = request.mornings.map((morning) => ({
    morning,
    row: rowOf(morning, belief.firstMs),
    worth: Math.exp((-DISCOUNT * (morning.ms - request.now)) / MS_PER_DAY),
    gain: Number.POSITIVE_INFINITY,
  }));
  const board: Board = { ...belief, candidates, plan: [] };
  const retries = Math.min(request.retries, MAX_STEPS);
  for (;;) {
    walk(board);
    const best = board.plan.length < retries && findBest(board, Math.max(MIN_GAIN, request.minGain));
    if (!best) return describe(board);
    best.gain = Number.NEGATIVE_INFINITY;
    board.plan.splice(stepOf(board.plan, best), 0, best);
  }
}

/** Adds up, for each step and explanation, the unpaid share and the worth of the rest. */
function walk(board: Board): void {
  const { plan, shares } = board;
  const end = plan.length * COUNT;
  open.set(shares);
  rest.fill(0, 0, end + COUNT);
  for (const [step, { row }] of plan.entries()) {
    const cell = step * COUNT;
    open.copyWithin(cell + COUNT, cell, cell + COUNT);
    const { indexes, chances, count } = listLive(row, dayBefore(board, step));
    for (let place = 0; place < count; place += 1) {
      const here = cell + (indexes[place] ?? 0);
      rest[here] = chances[place] ?? 0;
      open[here + COUNT] = (open[here] ?? 0) * (1 - (rest[here] ?? 0));
    }
  }
  for (const [step, { worth }] of [...plan.entries()].reverse()) {
    for (let cell = step * COUNT; cell < (step + 1) * COUNT; cell += 1) {
      const later = rest[cell + COUNT] ?? 0;
      rest[cell] = later + (rest[cell] ?? 0) * (worth - later);
    }
  }
}

/** The day of the refusal before a step of the plan. */
function dayBefore({ plan, refusedOn }: Board, step: number): LocalDay {
  return plan[step - 1]?.row.day ?? refusedOn;
}

/**
 * A morning never adds more than it did to a shorter plan, so only those that added more than the best one does are looked at again.
 */
function findBest(board: Board, least: number): Candidate | undefined {
  let best: Candidate | undefined;
  let most = least;
  for (const one of board.candidates) {
    if (one.gain <= most) continue;
    one.gain = gainOf(board, one);
    if (one.gain > most) [best, most] = [one, one.gain];
  }
  return best;
}

/** The place of a candidate among the steps of the plan. */
function stepOf(plan: readonly Candidate[], { morning }: Candidate): number {
  const step = plan.findIndex((one) => one.morning.ms > morning.ms);
  return step < 0 ? plan.length : step;
}

/** What a morning would add to the plan, between the steps before and after it: nothing where it has no chance. */
function gainOf(board: Board, candidate: Candidate): number {
  const { row, worth } = candidate;
  const step = stepOf(board.plan, candidate);
  const next = board.plan[step];
  const { indexes, chances, count } = listLive(row, dayBefore(board, step));
  let gain = 0;
  for (let at = 0; at < count; at += 1) {
    const index = indexes[at] ?? 0;
    const cell = step * COUNT + index;
    const later = rest[cell + COUNT] ?? 0;
    const then = next ? later + chanceOn(next.row, index, row.day) * (next.worth - later) : 0;
    gain += (open[cell] ?? 0) * (then - (rest[cell] ?? 0) + (chances[at] ?? 0) * (worth - then));
  }
  return gain;
}

function describe({ plan, shares, refusedOn }: Board): ChosenMorning | undefined {
  const [first] = plan;
  if (!first) return undefined;
  const { morning, row } = first;
  const spoken = { payday: 0, renewal: 0, passes: 0, dead: 0 };
  const held = { payday: 0, renewal: 0, passes: 0, dead: 0 };
  let [main, most, retry, unpaid] = [0, 0, 0, 0];
  for (const [index, { kind }] of EXPLANATIONS.entries()) {
    const share = shares[index] ?? 0;
    const speaks = share * chanceOn(row, index, refusedOn);
    spoken[kind] += speaks;
    held[kind] += share;
    retry += speaks;
    unpaid += open[plan.length * COUNT + index] ?? 0;
    if (kind === 'payday' && speaks > most) [main, most] = [index, speaks];
  }
  const kind = KINDS.reduce((one, other) => (spoken[other] > spoken[one] ? other : one));
  const isMost = kind === 'payday' && most > spoken.payday / 2;
  return {
    ...morning,
    odds: { retry, plan: 1 - unpaid },
    because: {
      kind,
      schedule: isMost ? PAY_SCHEDULES[main] : undefined,
      share: isMost ? (shares[main] ?? 0) : held[kind],
    },
  };
}
