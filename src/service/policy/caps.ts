/** How often a card or account may be tried, and when at all: facts 5.5 to 5.10. Stricter than the networks' own rules. */
import type { DateTime } from 'luxon';
import { MASTERCARD_ADVICE, VISA_CATEGORIES } from '../../declines/network-codes.ts';
import { classifyDecline, type DeclineClass } from '../classify-decline.ts';
import type { CaseLimits, FailedAttempt, PaymentCase } from './payment-case.ts';

export const DEFAULT_LIMITS: CaseLimits = { maxAttempts: 8, windowDays: 30, attemptCost: 10 };
export const MIN_GAP_HOURS = 24;

/** The card networks' windows of 30 days. */
const CARD_CAPS: Readonly<Record<string, number>> = { visa: 15, mastercard: 30 };
const OTHER_CARDS_CAP = 8;
const CAP_DAYS = 30;

/** Visa: the issuer will never approve (facts 5.5). */
const VISA_NEVER: ReadonlySet<string> = new Set(
  VISA_CATEGORIES.filter(({ category }) => category === 1).flatMap(({ codes }) => codes),
);
/** Mastercard's merchant advice codes: never again, and wait so many hours (facts 5.6). */
const MASTERCARD_NEVER: ReadonlySet<string> = new Set(
  MASTERCARD_ADVICE.filter(({ isFinal }) => isFinal).map(({ value }) => value),
);
const MASTERCARD_WAIT_HOURS: Readonly<Record<string, number | undefined>> = Object.fromEntries(
  MASTERCARD_ADVICE.map(({ value, waitHours }) => [value, waitHours]),
);

export function limitsOf(paymentCase: PaymentCase): CaseLimits {
  return { ...DEFAULT_LIMITS, ...paymentCase.limits };
}

/**
 * What the latest answer means, the strongest sign first (facts 5.4). A card that must never be tried again stays so
 * although a later answer is softer; another card begins anew.
 */
export function classifyCase({ attempts, brand }: PaymentCase): DeclineClass {
  const latest = attempts.at(-1);
  if (!latest) return 'never';
  const own = classifyAttempt(latest, brand);
  const onSameCard = attempts.filter(
    ({ fingerprint }) => fingerprint !== undefined && fingerprint === latest.fingerprint,
  );
  const isBarred = onSameCard.some((attempt) => classifyAttempt(attempt, brand) === 'hard');
  return isBarred && own !== 'never' ? 'hard' : own;
}

function classifyAttempt(attempt: FailedAttempt, brand: string | undefined): DeclineClass {
  const byCode = classifyDecline(attempt.methodType, attempt.code);
  if (byCode === 'never') return 'never';
  if (attempt.adviceCode === 'do_not_try_again' || isNetworkNever(attempt, brand)) return 'hard';
  if (byCode === 'hard' || byCode === 'authentication') return byCode;
  return attempt.adviceCode === 'confirm_card_data' ? 'update' : byCode;
}

function isNetworkNever(
  { networkCode, networkAdviceCode }: FailedAttempt,
  brand: string | undefined,
): boolean {
  if (brand === 'mastercard') return MASTERCARD_NEVER.has(networkAdviceCode ?? '');
  return brand === 'visa' && VISA_NEVER.has(networkCode ?? '');
}

/** Before this nothing is tried: a day of rest, and what the network asked for. */
export function earliestRetry({ attempts, brand }: PaymentCase, latest: FailedAttempt): DateTime {
  const asked = brand === 'mastercard' ? MASTERCARD_WAIT_HOURS[latest.networkAdviceCode ?? ''] : undefined;
  const last = attempts.at(-1) ?? latest;
  return last.at.plus({ hours: Math.max(MIN_GAP_HOURS, asked ?? 0) });
}

/** Whether one more try at that moment keeps the network's count of 30 days. */
export function createCapCheck({ attempts, past = [], brand }: PaymentCase): (ms: number) => boolean {
  const cap = CARD_CAPS[brand ?? ''] ?? OTHER_CARDS_CAP;
  const failures = [...past.filter(({ isPaid }) => !isPaid), ...attempts].map(({ at }) => at.toMillis());
  return (ms) => failures.filter((at) => at > ms - CAP_DAYS * 86_400_000).length < cap;
}

/**
 * Every failed transaction counts, and so does a suggested retry whose outcome was never heard: the caps hold whether
 * or not we were told.
 */
export function countAttempts({ attempts, instructions }: PaymentCase, now: DateTime): number {
  const suggested = instructions.filter(
    (given) => given.suggestion === 'ACTION_SUGGESTION_RETRY' && given.at <= now,
  );
  return Math.max(attempts.length, suggested.length + 1);
}
