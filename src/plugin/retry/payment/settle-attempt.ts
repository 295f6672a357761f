/** Rules for settling an attempt without an answer (stripe-facts 3.8). Pure. */
import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { readCharge } from '../../clients/charge-facts.ts';
import type { StoredAttempt } from '../../store/tables/retry/attempts.ts';
import type { PaymentOutcome } from './outcome.ts';

/** Stripe keeps a key for at least 24 hours; later it would charge again. */
const KEY_LIFE_HOURS = 23;
/** Minutes until the call is repeated, by the number of calls so far. Then reading decides. */
const REPEAT_AFTER_MINUTES = [0.5, 2, 10, 60] as const;
/** An attempt without a charge cannot make one this long after its last call. */
const IN_FLIGHT_MINUTES = 5;
/** Stripe's times have whole seconds, and its clock differs from ours. */
const SKEW_SECONDS = 5;

export function nextRepeatAt(now: DateTime, calls: number): DateTime {
  const minutes = REPEAT_AFTER_MINUTES[Math.min(calls, REPEAT_AFTER_MINUTES.length) - 1] ?? 1;
  return now.plus({ minutes });
}

/** When another payment of the invoice looks again: an event may settle the attempt sooner than its next call. */
export function nextLookAt(now: DateTime, calls: number): DateTime {
  const [shortest, longest] = [now.plus({ minutes: 2 }), now.plus({ minutes: 10 })];
  return DateTime.min(longest, DateTime.max(shortest, nextRepeatAt(now, calls)));
}

/** Whether the key may be used again: a new one would be a second attempt, an old one may be forgotten. */
export function canRepeat(attempt: Pick<StoredAttempt, 'startedAt' | 'calls'>, now: DateTime): boolean {
  return (
    attempt.calls <= REPEAT_AFTER_MINUTES.length && now < attempt.startedAt.plus({ hours: KEY_LIFE_HOURS })
  );
}

/** End of the time in which the last call may be under way, even if its process died: a missing charge proves nothing. */
export function inFlightUntil({
  calledAt,
  startedAt,
}: Pick<StoredAttempt, 'startedAt' | 'calledAt'>): DateTime {
  return (calledAt ?? startedAt).plus({ minutes: IN_FLIGHT_MINUTES });
}

/** Charges possibly made by the attempt: created since it began and owned by no other attempt of ours. */
export function listCandidates(
  attempt: Pick<StoredAttempt, 'id' | 'startedAt'>,
  { charges, recorded }: { charges: readonly Stripe.Charge[]; recorded: readonly StoredAttempt[] },
): Stripe.Charge[] {
  const others = recorded.filter(({ id, source }) => id !== attempt.id && source === 'ours');
  const owned = new Set(others.map(({ chargeId }) => chargeId));
  const since = attempt.startedAt.toMillis() / 1000 - SKEW_SECONDS;
  return charges.filter(({ id, created }) => created >= since && !owned.has(id));
}

/** Outcome by the charges made under the attempt's key. A charge that may be Stripe's own is recorded as Stripe's, and counts, too. */
export function settleByReading(seen: {
  isPaid: boolean;
  own: readonly Stripe.Charge[];
}): Exclude<PaymentOutcome, { kind: 'unknown' }> {
  const charge = seen.own.at(-1);
  if (seen.isPaid) return { kind: 'paid', chargeId: charge?.status === 'succeeded' ? charge.id : undefined };
  if (!charge) return { kind: 'not_executed', code: 'no_charge_found' };
  if (charge.status !== 'failed') return { kind: 'pending', chargeId: charge.id };
  const { outcome: _outcome, ...codes } = readCharge(charge).result;
  return { kind: 'declined', chargeId: charge.id, ...codes };
}
