/** What a decline means for the next try, by the one rule of `src/core/declines`. */
import { classify, type DeclineCodes } from '../../core/declines/classify.ts';
import type { DeclineClass as TableClass } from '../../core/declines/decline-row.ts';
import { findDebitScheme } from '../../core/declines/find-decline.ts';

/**
 * `hard`, `update`: another card is needed. `authentication`: the customer must confirm. `soft`: time helps.
 * `generic`: time may help, few attempts. `bank_retry`: a bank debit that may be presented again.
 * `never`: neither a retry nor a mail to the customer.
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

/** What the service hears of a failed attempt: one code, Stripe's or the bank's. */
type GivenCodes = Partial<Omit<DeclineCodes, 'declineCode'>>;

export function isBankDebit(methodType: string): boolean {
  return findDebitScheme(methodType) !== undefined;
}

export function classifyDecline({ code, ...codes }: GivenCodes): ServiceDecline {
  const classified = classify({ ...NONE, ...codes, declineCode: code });
  const { class: known, onRepeat, briefRests, isRepresentable, waitHours = 0 } = classified;
  if (isRepresentable) return { class: 'bank_retry', waitHours };
  return {
    class: nameOf(known),
    waitHours,
    ...(briefRests ? { briefRests } : {}),
    ...(onRepeat ? { onRepeat: nameOf(onRepeat) } : {}),
  };
}

function nameOf(known: TableClass): DeclineClass {
  return known === 'merchant' ? 'never' : known;
}

/** A refusal that time may heal; others say nothing about good times. */
export function isHealedByTime(codes: GivenCodes): boolean {
  const { class: known } = classifyDecline(codes);
  return known === 'soft' || known === 'generic';
}

const NONE: DeclineCodes = {
  methodType: undefined,
  brand: undefined,
  code: undefined,
  declineCode: undefined,
  adviceCode: undefined,
  networkCode: undefined,
  networkAdvice: undefined,
};
