/** How often a card or account may be tried, and when at all: facts 5.5 to 5.10. Stricter than the networks' own rules. */
import type { DateTime } from 'luxon';
import { MASTERCARD_ADVICE, VISA_CATEGORIES } from '../../declines/network-codes.ts';
import {
  MAX_ATTEMPTS_PER_INVOICE,
  MAX_GENERIC_ATTEMPTS,
  MIN_GAP_HOURS,
} from '../../declines/usual-limits.ts';
import type { CaseLimits, FailedAttempt, PaymentCase } from './payment-case.ts';

export { MIN_GAP_HOURS };

export const DEFAULT_LIMITS: CaseLimits = {
  maxAttempts: MAX_ATTEMPTS_PER_INVOICE,
  maxUnexplained: MAX_GENERIC_ATTEMPTS,
  windowDays: 30,
  attemptCost: 10,
};

/** The card networks' windows of 30 days. */
const CARD_CAPS: Readonly<Record<string, number>> = { visa: 15, mastercard: 30 };
const OTHER_CARDS_CAP = 8;
export const CAP_DAYS = 30;

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

export function isNetworkNever(
  { networkCode, networkAdviceCode }: FailedAttempt,
  brand: string | undefined,
): boolean {
  if (brand === 'mastercard') return MASTERCARD_NEVER.has(networkAdviceCode ?? '');
  return brand === 'visa' && VISA_NEVER.has(networkCode ?? '');
}

/** What the network asked for, with the brand that its advice codes belong to. */
export function networkWaitHours(brand: string | undefined, networkAdviceCode: string | undefined): number {
  return brand === 'mastercard' ? (MASTERCARD_WAIT_HOURS[networkAdviceCode ?? ''] ?? 0) : 0;
}

/** Whether one more try at that moment keeps the network's count of 30 days. Payments that succeeded count as well. */
export function createCapCheck({ attempts, past = [], brand }: PaymentCase): (ms: number) => boolean {
  const cap = CARD_CAPS[brand ?? ''] ?? OTHER_CARDS_CAP;
  const card = attempts.at(-1)?.fingerprint;
  // One whose card is not known may have been this one.
  const onCard = past.filter(({ fingerprint = card }) => fingerprint === card);
  const made = [...onCard, ...attempts].map(({ at }) => at.toMillis());
  return (ms) => made.filter((at) => at > ms - CAP_DAYS * 86_400_000).length < cap;
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
