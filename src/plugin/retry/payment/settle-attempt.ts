/** How an attempt without an answer is brought to one (stripe-facts 3.8). Pure. */
import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { readCharge } from '../../clients/charge-facts.ts';
import type { StoredAttempt } from '../../store/tables/retry/attempts.ts';
import type { PaymentOutcome } from './outcome.ts';

/** Stripe keeps a key for at least 24 hours; after that the same key would charge anew. */
const KEY_LIFE_HOURS = 23;
/** Minutes until the same call is repeated, after the first, second … call. After the last, reading decides. */
const REPEAT_AFTER_MINUTES = [0.5, 2, 10, 60] as const;
/** So long after its last call an attempt without a charge cannot make one any more. */
const IN_FLIGHT_MINUTES = 5;
/** Stripe counts in whole seconds, and its clock is not ours. */
const SKEW_SECONDS = 5;

export function nextRepeatAt(now: DateTime, calls: number): DateTime {
  const minutes = REPEAT_AFTER_MINUTES[Math.min(calls, REPEAT_AFTER_MINUTES.length) - 1] ?? 1;
  return now.plus({ minutes });
}

/** Another payment of the invoice waits as the attempt's own action does, but not for an hour: an event may settle it sooner. */
const LOOK_MINUTES = { shortest: 2, longest: 10 } as const;

export function nextLookAt(now: DateTime, calls: number): DateTime {
  const { shortest, longest } = LOOK_MINUTES;
  const last = now.plus({ minutes: longest });
  return DateTime.min(last, DateTime.max(now.plus({ minutes: shortest }), nextRepeatAt(now, calls)));
}

/** Whether the same key may go out again: a new key would be a second attempt, an old one may be forgotten. */
export function canRepeat(attempt: Pick<StoredAttempt, 'startedAt' | 'calls'>, now: DateTime): boolean {
  return (
    attempt.calls <= REPEAT_AFTER_MINUTES.length && now < attempt.startedAt.plus({ hours: KEY_LIFE_HOURS })
  );
}

/** Until then the latest call may still be on its way, whatever became of its process: that Stripe shows no charge proves nothing. */
export function inFlightUntil({
  calledAt,
  startedAt,
}: Pick<StoredAttempt, 'startedAt' | 'calledAt'>): DateTime {
  return (calledAt ?? startedAt).plus({ minutes: IN_FLIGHT_MINUTES });
}

/** What may be the attempt's own: it was made since the attempt began, and no other attempt of ours owns it. */
export function listCandidates(
  attempt: Pick<StoredAttempt, 'id' | 'startedAt'>,
  { charges, recorded }: { charges: readonly Stripe.Charge[]; recorded: readonly StoredAttempt[] },
): Stripe.Charge[] {
  const owned = new Set(
    recorded
      .filter((other) => other.id !== attempt.id && other.source === 'ours')
      .map((other) => other.chargeId),
  );
  const since = attempt.startedAt.toMillis() / 1000 - SKEW_SECONDS;
  return charges.filter(({ id, created }) => created >= since && !owned.has(id));
}

/**
 * Reads the outcome from the charges that were made under the attempt's key. Stripe may have tried by itself meanwhile: a
 * charge that cannot be shown to be ours is recorded as Stripe's, and counts all the same.
 */
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
