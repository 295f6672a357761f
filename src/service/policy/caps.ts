/** How often and when a card or account may be tried (stripe-facts 5.5 to 5.10). Stricter than the networks' own rules. */
import type { DateTime } from 'luxon';
import { ATTEMPT_LIMITS } from '../../core/limits/attempt-limits.ts';
import { type FundsAnswer, findFundsRest } from '../../core/limits/card-rest.ts';
import { CAP_DAYS, type CardTry, createWindowCheck, findEqualRest } from '../../core/limits/card-windows.ts';
import { RECOVERY_DAYS, REMINDER_DAYS } from '../../core/limits/reminder-days.ts';
import type { CaseLimits, PastAttempt, PaymentCase } from './payment-case.ts';

const DEFAULT_LIMITS: CaseLimits = {
  ...ATTEMPT_LIMITS,
  reminderDays: REMINDER_DAYS,
  windowDays: RECOVERY_DAYS,
  attemptCost: 10,
};

export function limitsOf({ limits }: PaymentCase): CaseLimits {
  return limits ? { ...DEFAULT_LIMITS, ...limits } : DEFAULT_LIMITS;
}

/**
 * Whether one more try at that moment keeps the network's counts, and keeps away from tries of the same amount for other
 * invoices (stripe-facts 5.11), and from refusals of no more than that for lack of funds.
 */
export function createCapCheck(paymentCase: PaymentCase): (ms: number) => boolean {
  const { amount, subscriptionId, attempts, past = [], brand, country } = paymentCase;
  const limits = limitsOf(paymentCase);
  const card = attempts.at(-1)?.fingerprint;
  const since = (attempts.at(-1)?.at.toMillis() ?? 0) - CAP_DAYS * 86_400_000;
  // One whose card is not known may have been this one.
  const onCard = past.filter(({ at, fingerprint = card }) => fingerprint === card && at.toMillis() > since);
  const answers = onCard.map((one) => toAnswer(one, brand));
  const failed = attempts.map((one) => toAnswer({ ...one, isPaid: false }, brand));
  const networks = brand === undefined ? [] : [brand];
  const findWait = createWindowCheck([...answers, ...failed], { amount, networks, country, limits });
  const restedMs = Math.max(
    findFundsRest(answers, { amount, gapHours: limits.minGapHours })?.untilMs ?? 0,
    findEqualRest(onCard.map(toTry), { amount, subscriptionId })?.untilMs ?? 0,
  );
  return (ms) => ms >= restedMs && findWait(ms) === undefined;
}

/** The answer as the limits read it. */
export function toTry({ at, amount, isPaid, subscriptionId }: PastAttempt) {
  return { atMs: at.toMillis(), amount, isPaid, subscriptionId };
}

function toAnswer(past: PastAttempt, brandOfCase: string | undefined): FundsAnswer & CardTry {
  const { at, amount, methodType, brand = brandOfCase, code: declineCode } = past;
  const { adviceCode, networkCode, networkAdviceCode: networkAdvice } = past;
  const codes = { methodType, brand, declineCode, code: undefined, adviceCode, networkCode, networkAdvice };
  // A payment with a card that is not known proves nothing for this one.
  const isPaid = past.isPaid && past.fingerprint !== undefined;
  return { atMs: at.toMillis(), amount, isPaid, network: brand, codes };
}

/**
 * Every failed transaction counts, and so does a suggested retry whose outcome was never reported: the caps hold
 * nevertheless.
 */
export function countAttempts({ attempts, instructions }: PaymentCase, now: DateTime): number {
  const suggested = instructions.filter(
    (given) => given.suggestion === 'ACTION_SUGGESTION_RETRY' && given.at <= now,
  );
  return Math.max(attempts.length, suggested.length + 1);
}
