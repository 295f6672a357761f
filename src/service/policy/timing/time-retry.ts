/** When to try again, for a card that may be: as soon as it has rested, on a planned morning, or by the control group's schedule. */
import type { DateTime, Zone } from 'luxon';
import { createCapCheck, limitsOf } from '../caps.ts';
import { isHealedByTime } from '../classify-decline.ts';
import { listTellingRefusals } from '../payer-signal.ts';
import type { FailedAttempt, PastAttempt, PaymentCase } from '../payment-case.ts';
import { type ChosenMorning, chooseMorning } from './choose-morning.ts';
import { type Answer, familyOf, MS_PER_DAY } from './explanations.ts';
import { listOwnMornings, type Morning, moneyDay, zoneNamed } from './own-mornings.ts';
import { listStaticTimes } from './static-schedule.ts';

/** Reasons for a retry as soon as the card has rested: the obstacle passes, or the card has paid another invoice. */
export type Prompt = 'card_has_rested' | 'card_has_paid';

export type TimedRetry =
  | { readonly way: Prompt | 'static_schedule'; readonly ms: number }
  | ({ readonly way: 'morning' } & ChosenMorning);

export interface TimingRequest {
  readonly paymentCase: PaymentCase;
  readonly first: FailedAttempt;
  readonly now: DateTime;
  /** The card rests until then. */
  readonly restUntil: DateTime;
  /** Why no better day is waited for, if so. */
  readonly promptBy: Prompt | undefined;
  readonly retriesLeft: number;
  readonly isHeldOut: boolean;
}

/** Undefined when no retry is left or worth making. */
export function timeRetry(request: TimingRequest): TimedRetry | undefined {
  const { paymentCase, first, now, restUntil, promptBy, isHeldOut } = request;
  const isWithinCaps = createCapCheck(paymentCase);
  const from = Math.max(now.toMillis(), restUntil.toMillis());
  const until = first.at.toMillis() + limitsOf(paymentCase).windowDays * MS_PER_DAY;
  // In whole seconds, as an instruction is written.
  const soonest = Math.ceil(from / MS_PER_SECOND) * MS_PER_SECOND;
  if (promptBy && soonest <= until && isWithinCaps(soonest)) return { way: promptBy, ms: soonest };
  if (isHeldOut) {
    const ms = listStaticTimes(first.at).find((time) => time >= from && isWithinCaps(time));
    return ms === undefined ? undefined : { way: 'static_schedule', ms };
  }
  const after = Math.max(now.toMillis(), restUntil.toMillis() - 1);
  const mornings = listOwnMornings(paymentCase, { after, until }).filter(({ ms }) => isWithinCaps(ms));
  const chosen = planMorning(request, mornings);
  return chosen && { way: 'morning', ...chosen };
}
const MS_PER_SECOND = 1000;

/** The latest answers of earlier invoices that are looked at. */
const MAX_PAST = 40;

function planMorning(
  { paymentCase, first, now, retriesLeft }: TimingRequest,
  mornings: readonly Morning[],
): ChosenMorning | undefined {
  const { amount, attempts, past = [], zone: name } = paymentCase;
  const { attemptCost } = limitsOf(paymentCase);
  const zone = zoneNamed(name);
  const firstMs = first.at.toMillis();
  const answers = [...attempts, ...listTellingRefusals(paymentCase)];
  return chooseMorning({
    family: familyOf(first.code),
    past: past
      .filter((one) => one.at.toMillis() < firstMs && isAboutMoney(one))
      .slice(-MAX_PAST)
      .map((one) => toAnswer(one, one.isPaid, zone)),
    refusals: answers.map((one) => toAnswer(one, false, zone)).sort((one, other) => one.ms - other.ms),
    mornings,
    now: now.toMillis(),
    retries: retriesLeft,
    minGain: amount > 0 ? attemptCost / amount : 1,
  });
}

function toAnswer({ at }: Pick<PastAttempt, 'at'>, isPaid: boolean, zone: Zone): Answer {
  const ms = at.toMillis();
  return { ms, day: moneyDay(ms, zone), isPaid };
}

/** A card that was stolen or has expired says nothing about its owner's money. */
function isAboutMoney({ isPaid, methodType, code }: PastAttempt): boolean {
  return isPaid || methodType === undefined || isHealedByTime({ methodType, code });
}
