/** When to try again, for a card that may be: by the engine, by the spread, or by the holdout's schedule. */
import type { DateTime } from 'luxon';
import { moneyDay, zoneNamed } from '../calendar/local-time.ts';
import { createCapCheck, limitsOf } from '../caps.ts';
import type { ArmChoice } from '../compare/compare-arms.ts';
import { type Figures, type PaydayTable, weigh } from '../learning/beliefs.ts';
import { evidenceOf } from '../learning/evidence.ts';
import type { HourFactors } from '../learning/hour-factors.ts';
import type {
  FailedAttempt,
  HoldoutDraw,
  PaymentCase,
  RetryHour,
  TimeChoice,
  TimeChoices,
  TimedArm,
} from '../payment-case.ts';
import { drawOption, listOptions, type Option } from './draw-time.ts';
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
  /** Whether times that are about as good as the best are drawn among; undefined: always the best. */
  readonly softness: { readonly hours: HourFactors; readonly seed: number } | undefined;
}

/** As soon as the card has rested, since what was in the way passes by itself, or since it has paid another invoice. */
export type Prompt = 'card_has_rested' | 'card_has_paid';

export interface TimedRetry extends PlannedRetry {
  /** The chance that the engine's whole plan brings the money. */
  readonly planChance: number;
  readonly arm: TimedArm;
  readonly propensity: number;
  readonly hour?: RetryHour | undefined;
  readonly choices?: TimeChoices;
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
  const { paymentCase, choice, draw, promptBy } = request;
  const slots = listSlots(request);
  const { amount } = paymentCase;
  const { attemptCost } = limitsOf(paymentCase);
  const minGain = Math.max(MIN_GAIN, amount > 0 ? attemptCost / amount : 1);
  const belief = weigh(evidenceOf(paymentCase), knowledge.figures, knowledge.paydays);
  const plan = { ...knowledge, belief, now: request.now.toMillis(), tries: request.tries, minGain };
  const planned = planRetries({ ...plan, slots });
  const only = (slot: Slot | undefined) =>
    slot && planRetries({ ...plan, slots: [slot], tries: 1, minGain: 0 }).next;
  const arm = draw.isHeldOut ? 'static' : choice.arm;
  const prompt = promptBy && only(findPromptSlot(request));
  if (prompt) return { ...prompt, planChance: planned.chance, arm, propensity: 1, prompt: promptBy };
  const { softness } = knowledge;
  const { isAllowed } = reachOf(request);
  const options = softness
    ? listOptions({ paymentCase, near: planned.near, hours: softness.hours, isAllowed })
    : certain(planned.next, 'morning');
  const offers: Offers = {
    engine: options,
    spread: certain(only(spreadOver(request, slots)[0]), 'morning'),
    static: certain(only(listStatic(request)[0])),
  };
  const chosen = arm === 'engine' ? drawOption(options, paymentCase, softness?.seed) : offers[arm][0];
  if (!chosen) return undefined;
  const choices = describeChoices(offers, request);
  const propensity = propensityOf(chosen.retry.ms, choices);
  return { ...chosen.retry, planChance: planned.chance, arm, propensity, choices };
}

type Offers = Readonly<Record<TimedArm, readonly Option[]>>;

function certain(retry: PlannedRetry | undefined, hour?: RetryHour): Option[] {
  return retry ? [{ retry: { ...retry, hour }, probability: 1 }] : [];
}

function describeChoices(offers: Offers, { choice, draw }: TimingRequest): TimeChoices {
  const heldOut = draw.percent / 100;
  const { engine, spread } = choice.odds;
  const options = new Map<number, TimeChoice>();
  for (const arm of ['engine', 'spread', 'static'] as const)
    for (const { retry, probability } of offers[arm]) {
      const { ms, hour, chance: believed } = retry;
      const { by } = options.get(ms) ?? {};
      options.set(ms, { ms, hour, believed, by: { ...by, [arm]: probability } });
    }
  return {
    arms: { engine: (1 - heldOut) * engine, spread: (1 - heldOut) * spread, static: heldOut },
    options: [...options.values()].sort((one, other) => one.ms - other.ms),
  };
}

/** With which probability that moment was chosen: each way of choosing that would have led to it counts. */
function propensityOf(chosen: number, { arms, options }: TimeChoices): number {
  const { by = {} } = options.find(({ ms }) => ms === chosen) ?? {};
  return arms.engine * (by.engine ?? 0) + arms.spread * (by.spread ?? 0) + arms.static * (by.static ?? 0);
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
function listSlots(request: TimingRequest): Slot[] {
  const { after, until, isAllowed } = reachOf(request);
  return listOwnMornings(request.paymentCase, { after, until }).filter(({ ms }) => isAllowed(ms));
}

function reachOf({ paymentCase, first, restUntil, now }: TimingRequest) {
  const after = Math.max(now.toMillis(), restUntil.toMillis() - 1);
  const until = first.at.plus({ days: limitsOf(paymentCase).windowDays }).toMillis();
  const isWithinCap = createCapCheck(paymentCase);
  return { after, until, isAllowed: (ms: number) => ms > after && ms <= until && isWithinCap(ms) };
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
