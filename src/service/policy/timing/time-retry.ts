/** When to try again, for a card that may be: by the engine, by the spread, or by the holdout's schedule. */
import type { DateTime } from 'luxon';
import { moneyDay, zoneNamed } from '../calendar/local-time.ts';
import { createCapCheck, limitsOf } from '../caps.ts';
import type { ArmChoice, TimingArm } from '../compare/compare-arms.ts';
import { type Figures, type PaydayTable, weigh } from '../learning/beliefs.ts';
import { evidenceOf } from '../learning/evidence.ts';
import type { FailedAttempt, HoldoutDraw, PaymentCase } from '../payment-case.ts';
import { listOwnMornings } from './own-mornings.ts';
import { type PlannedRetry, planRetries, type Slot } from './plan-retries.ts';
import { staticSlots } from './static-schedule.ts';

/** Kept free at the end, so that a late try still has time to be seen. */
const MARGIN_DAYS = 2;

/** A try that is less likely than this to bring the money is not worth the customer's and the issuer's patience. */
const MIN_GAIN = 0.01;

export interface Knowledge {
  readonly figures: Figures;
  readonly paydays: PaydayTable;
}

/** As soon as the card has rested, since what was in the way passes by itself, or since it has paid another invoice. */
export type Prompt = 'card_has_rested' | 'card_has_paid';

export interface TimedRetry extends PlannedRetry {
  /** The chance that the engine's whole plan brings the money. */
  readonly planChance: number;
  readonly arm: TimingArm | 'static';
  readonly propensity: number;
  /** Why no better day was waited for. */
  readonly prompt?: Prompt;
}

export interface TimingRequest {
  readonly paymentCase: PaymentCase;
  readonly first: FailedAttempt;
  readonly now: DateTime;
  /** The card rests until then. */
  readonly restUntil: DateTime;
  /** Why no better day is waited for, if so. */
  readonly promptBy: Prompt | undefined;
  /** How many tries are left. */
  readonly tries: number;
  readonly choice: ArmChoice;
  readonly draw: HoldoutDraw;
}

/** Undefined when no try is left or worth making. */
export function timeRetry(request: TimingRequest, knowledge: Knowledge): TimedRetry | undefined {
  const { paymentCase, choice, draw } = request;
  const slots = listSlots(request);
  const { amount } = paymentCase;
  const { attemptCost } = limitsOf(paymentCase);
  const minGain = Math.max(MIN_GAIN, amount > 0 ? attemptCost / amount : 1);
  const belief = weigh(evidenceOf(paymentCase), knowledge.figures, knowledge.paydays);
  const plan = { ...knowledge, belief, now: request.now.toMillis(), tries: request.tries, minGain };
  const planned = planRetries({ ...plan, slots });
  const only = (slot: Slot | undefined) =>
    slot && planRetries({ ...plan, slots: [slot], tries: 1, minGain: 0 }).next;
  const { promptBy } = request;
  const prompt = promptBy && only(findPromptSlot(request));
  if (prompt) {
    const arm = draw.isHeldOut ? 'static' : choice.arm;
    return { ...prompt, planChance: planned.chance, arm, propensity: 1, prompt: promptBy };
  }
  const offers: Record<TimedRetry['arm'], Slot | undefined> = {
    engine: planned.next,
    spread: spreadOver(request, slots)[0],
    static: listStatic(request)[0],
  };
  const arm = draw.isHeldOut ? 'static' : choice.arm;
  const isAgreed = offers.spread?.ms === offers.engine?.ms;
  const chosen = arm === 'engine' || (arm === 'spread' && isAgreed) ? planned.next : only(offers[arm]);
  if (!chosen) return undefined;
  return {
    ...chosen,
    planChance: planned.chance,
    arm,
    propensity: propensityOf(chosen.ms, offers, request),
  };
}

/** With which probability that moment was chosen: each way of choosing that would have led to it counts. */
function propensityOf(
  ms: number,
  offers: Record<TimedRetry['arm'], Slot | undefined>,
  { choice, draw }: TimingRequest,
): number {
  const heldOut = draw.percent / 100;
  const own = (['engine', 'spread'] as const).filter((arm) => offers[arm]?.ms === ms);
  const timed = own.length === 2 ? 1 : own.reduce((sum, arm) => sum + choice.odds[arm], 0);
  return (1 - heldOut) * timed + (offers.static?.ms === ms ? heldOut : 0);
}

/** In whole seconds, as an instruction is written. Undefined where a cap or the window is against it. */
function findPromptSlot({ paymentCase, first, restUntil, now }: TimingRequest): Slot | undefined {
  const ms = Math.ceil(Math.max(now.toMillis(), restUntil.toMillis()) / MS_PER_SECOND) * MS_PER_SECOND;
  const end = first.at.plus({ days: limitsOf(paymentCase).windowDays }).toMillis();
  if (ms > end || !createCapCheck(paymentCase)(ms)) return undefined;
  return { ms, day: moneyDay(ms, zoneNamed(paymentCase.zone)) };
}
const MS_PER_SECOND = 1000;

/** The mornings that every cap allows. */
function listSlots({ paymentCase, first, restUntil, now }: TimingRequest): Slot[] {
  const after = Math.max(now.toMillis(), restUntil.toMillis() - 1);
  const until = first.at.plus({ days: limitsOf(paymentCase).windowDays }).toMillis();
  const isWithinCap = createCapCheck(paymentCase);
  return listOwnMornings(paymentCase, { after, until }).filter(({ ms }) => isWithinCap(ms));
}

/** The caps hold for the static schedule as well. */
function listStatic({ paymentCase, first, restUntil, now }: TimingRequest): Slot[] {
  const notBeforeMs = Math.max(now.toMillis(), restUntil.toMillis());
  const isWithinCap = createCapCheck(paymentCase);
  return staticSlots(paymentCase, { first: first.at, notBeforeMs }).filter(({ ms }) => isWithinCap(ms));
}

function spreadOver({ paymentCase, first }: TimingRequest, slots: readonly Slot[]): Slot[] {
  const { windowDays, perInvoice } = limitsOf(paymentCase);
  const firstDay = moneyDay(first.at.toMillis(), zoneNamed(paymentCase.zone));
  return spreadMornings(slots, { firstDay, windowDays, tries: perInvoice - 1 });
}

/**
 * The baseline, without learning (stripe-facts 13.7: it is hard to beat): the mornings on which the given number of tries
 * spreads over the days after the first failure; those that are past are left out.
 */
function spreadMornings(
  slots: readonly Slot[],
  { firstDay, windowDays, tries }: { firstDay: number; windowDays: number; tries: number },
): Slot[] {
  const step = (windowDays - MARGIN_DAYS) / tries;
  const days = new Set(
    Array.from({ length: tries }, (_, index) => firstDay + Math.round((index + 1) * step)),
  );
  return slots.filter(({ day }) => days.has(day));
}
