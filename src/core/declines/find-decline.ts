/** The table of decline codes, and lookups in it. Pure. */
import { BLOCKS, CARD_DECLINES } from './card-declines.ts';
import type { DeclineRow } from './decline-row.ts';
import { BANK_DEBIT_DECLINES, ERROR_CODES, OTHER_METHOD_DECLINES } from './method-declines.ts';
import {
  ADVICE_CODES,
  type AdviceRow,
  DEBIT_SCHEMES,
  type DebitScheme,
  MASTERCARD_ADVICE,
  VISA_CATEGORIES,
} from './network-codes.ts';

/** All codes, each once. */
export const DECLINES: readonly DeclineRow[] = [
  ...BLOCKS,
  ...CARD_DECLINES,
  ...OTHER_METHOD_DECLINES,
  ...BANK_DEBIT_DECLINES,
  ...ERROR_CODES,
];

/** Class of an unknown or missing code: time may help, few attempts. */
export const UNKNOWN_CLASS = 'generic';

const BY_CODE = new Map(DECLINES.map((row) => [row.code, row]));
const ADVICE = new Map(ADVICE_CODES.map((row) => [row.value, row]));
const MASTERCARD = new Map(MASTERCARD_ADVICE.map((row) => [row.value, row]));
const SCHEMES = new Map(
  DEBIT_SCHEMES.flatMap((scheme) =>
    [scheme.methodType, ...(scheme.aliases ?? [])].map((type) => [type, scheme] as const),
  ),
);
const VISA_NEVER = new Set(
  VISA_CATEGORIES.filter(({ category }) => category === 1).flatMap(({ codes }) => codes),
);

/** A code of Stripe or of a row, if any. */
export type Given = string | null | undefined;

export function findDecline(code: Given): DeclineRow | undefined {
  return code ? BY_CODE.get(code) : undefined;
}

export function findAdvice(adviceCode: Given): AdviceRow | undefined {
  return adviceCode ? ADVICE.get(adviceCode) : undefined;
}

/** Merchant advice codes apply to this brand only. */
export function findMastercardAdvice(brand: Given, networkAdvice: Given): AdviceRow | undefined {
  return brand === 'mastercard' && networkAdvice ? MASTERCARD.get(networkAdvice) : undefined;
}

/** Visa category 1: the bank will never approve. */
export function isVisaNever(brand: Given, networkCode: Given): boolean {
  return brand === 'visa' && VISA_NEVER.has(networkCode ?? '');
}

export function findDebitScheme(methodType: Given): DebitScheme | undefined {
  return methodType ? SCHEMES.get(methodType) : undefined;
}

/** Whether a returned debit may be presented again. A known return code outweighs Stripe's code. */
export function isRepresentable(scheme: DebitScheme, code: Given, networkCode?: Given): boolean {
  const returned = scheme.returns.find(({ value }) => value === networkCode);
  return returned?.isRetryable ?? scheme.retryableCodes.includes(code ?? '');
}

/** Reason of a blocked charge: a known one, else `blocked`, which is as final (stripe-facts 5.3). */
export function blockReason(reason: Given): string {
  return reason && findDecline(reason)?.isBlock ? reason : 'blocked';
}
