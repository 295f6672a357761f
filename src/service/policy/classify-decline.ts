/** What a decline means for the next try, by the one rule of `src/core/declines`. */
import { classify, type DeclineCodes } from '../../core/declines/classify.ts';
import type { DeclineClass as TableClass } from '../../core/declines/decline-row.ts';
import { findDebitScheme } from '../../core/declines/find-decline.ts';
import type { FailedAttempt } from './payment-case.ts';

/**
 * `hard`, `update`: another card is needed. `authentication`: the customer must confirm. `soft`: time helps.
 * `generic`: time may help, few attempts. `bank_retry`: a bank debit that may be presented again.
 * `never`: neither a retry nor an email to the customer.
 */
export type DeclineClass = Exclude<TableClass, 'merchant'> | 'bank_retry' | 'never';

export interface ServiceDecline {
  readonly class: DeclineClass;
  readonly waitHours: number;
  /** What stood in the way is over within hours: the rests after such refusals in a row. */
  readonly briefRests?: readonly number[];
  /** What it is once an invoice was refused so a second time. */
  readonly onRepeat?: DeclineClass;
}

/** The service's knowledge of a failed attempt: one code, Stripe's or the bank's. */
type GivenCodes = Partial<Omit<DeclineCodes, 'declineCode'>>;

export function isBankDebit(methodType: string): boolean {
  return findDebitScheme(methodType) !== undefined;
}

const MAX_KNOWN = 2000;
const known = new Map<string | null | undefined, ServiceDecline>();

/** Remembered by its codes, since a customer's history has the same ones again and again. */
export function classifyDecline(given: GivenCodes): ServiceDecline {
  const { methodType, brand, code: declineCode, adviceCode, networkCode, networkAdvice } = given;
  const isPlain =
    brand === undefined && methodType === 'card' && !adviceCode && !networkCode && !networkAdvice;
  const key = isPlain
    ? declineCode
    : `${declineCode} ${brand} ${methodType} ${adviceCode} ${networkCode} ${networkAdvice}`;
  const found = known.get(key);
  if (found) return found;
  if (known.size >= MAX_KNOWN) known.clear();
  const asked = { methodType, brand, code: undefined, declineCode, adviceCode, networkCode, networkAdvice };
  const { class: table, onRepeat, briefRests, isRepresentable, waitHours = 0 } = classify(asked);
  const rests = {
    ...(briefRests ? { briefRests } : {}),
    ...(onRepeat ? { onRepeat: nameOf(onRepeat) } : {}),
  };
  const declined: ServiceDecline = isRepresentable
    ? { class: 'bank_retry', waitHours }
    : { class: nameOf(table), waitHours, ...rests };
  known.set(key, declined);
  return declined;
}

export function classifyAttempt(attempt: Partial<FailedAttempt>, brand: string | undefined): ServiceDecline {
  const { methodType, code, adviceCode, networkCode, networkAdviceCode: networkAdvice } = attempt;
  const codes = { methodType, code, adviceCode, networkCode, networkAdvice };
  return classifyDecline({ ...codes, brand: attempt.brand ?? brand });
}

function nameOf(table: TableClass): DeclineClass {
  return table === 'merchant' ? 'never' : table;
}

/** A refusal that time may heal; others say nothing about good times. */
export function isHealedByTime(codes: GivenCodes): boolean {
  const { class: table } = classifyDecline(codes);
  return table === 'soft' || table === 'generic';
}
