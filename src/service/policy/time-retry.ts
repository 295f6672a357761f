/** When to try again, for a card that may be: by the engine or by the spread. */
import type { DateTime } from 'luxon';
import { type Figures, type PaydayTable, weigh } from './beliefs.ts';
import { createCapCheck, earliestRetry, limitsOf } from './caps.ts';
import type { ArmChoice, TimingArm } from './compare-arms.ts';
import { evidenceOf } from './evidence.ts';
import { listMornings, moneyDay, zoneNamed } from './local-time.ts';
import type { FailedAttempt, PaymentCase } from './payment-case.ts';
import { type PlannedRetry, planRetries, type Slot } from './plan-retries.ts';
import { spreadMornings } from './spread.ts';

/** A try that is less likely than this to bring the money is not worth the customer's and the issuer's patience. */
const MIN_GAIN = 0.01;

export interface Knowledge {
  readonly figures: Figures;
  readonly paydays: PaydayTable;
}

export interface TimedRetry extends PlannedRetry {
  /** The chance that the whole plan brings the money. */
  readonly planChance: number;
  readonly arm: TimingArm;
  readonly propensity: number;
}

export interface TimingRequest {
  readonly paymentCase: PaymentCase;
  readonly first: FailedAttempt;
  readonly latest: FailedAttempt;
  readonly now: DateTime;
  /** How many tries are left. */
  readonly tries: number;
  readonly choice: ArmChoice;
}

/** Undefined when no try is left or worth making. */
export function timeRetry(request: TimingRequest, knowledge: Knowledge): TimedRetry | undefined {
  const { paymentCase, choice } = request;
  const slots = listSlots(request);
  const { amount } = paymentCase;
  const { attemptCost } = limitsOf(paymentCase);
  const minGain = Math.max(MIN_GAIN, amount > 0 ? attemptCost / amount : 1);
  const belief = weigh(evidenceOf(paymentCase), knowledge.figures, knowledge.paydays);
  const plan = { ...knowledge, belief, now: request.now.toMillis(), tries: request.tries, minGain };
  const planned = planRetries({ ...plan, slots });
  const even = spreadOver(request, slots).slice(0, 1);
  const isAgreed = planned.next?.ms === even[0]?.ms;
  const chosen =
    choice.arm === 'engine' || isAgreed
      ? planned.next
      : planRetries({ ...plan, slots: even, tries: 1, minGain: 0 }).next;
  if (!chosen) return undefined;
  return {
    ...chosen,
    planChance: planned.chance,
    arm: choice.arm,
    propensity: isAgreed ? 1 : choice.odds[choice.arm],
  };
}

/** The mornings that every cap allows. */
function listSlots({ paymentCase, first, latest, now }: TimingRequest): Slot[] {
  const zone = zoneNamed(paymentCase.zone);
  const end = first.at.plus({ days: limitsOf(paymentCase).windowDays }).toMillis();
  const earliestMs = earliestRetry(paymentCase, latest).toMillis();
  const isWithinCap = createCapCheck(paymentCase);
  return listMornings(Math.max(now.toMillis(), earliestMs - 1), end, zone).filter(({ ms }) =>
    isWithinCap(ms),
  );
}

function spreadOver({ paymentCase, first }: TimingRequest, slots: readonly Slot[]): Slot[] {
  const { windowDays, maxAttempts } = limitsOf(paymentCase);
  const firstDay = moneyDay(first.at.toMillis(), zoneNamed(paymentCase.zone));
  return spreadMornings(slots, { firstDay, windowDays, tries: maxAttempts - 1 });
}
