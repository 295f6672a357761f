/** What a decline means for the next try, by the one rule of `src/core/declines`. */
import { type ClassifiedDecline, classify, type DeclineCodes } from '../../core/declines/classify.ts';
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

const MAX_KNOWN = 2000;
const known = new Map<string, ServiceDecline>();

/** Remembered by its codes, since a customer's history has the same ones again and again. */
export function classifyDecline({
  methodType,
  brand,
  code,
  adviceCode,
  networkCode,
  networkAdvice,
}: GivenCodes): ServiceDecline {
  const key = `${methodType} ${brand} ${code} ${adviceCode} ${networkCode} ${networkAdvice}`;
  const found = known.get(key);
  if (found) return found;
  if (known.size >= MAX_KNOWN) known.clear();
  const codes = { methodType, brand, code: undefined, declineCode: code, adviceCode, networkCode };
  const declined = describe(classify({ ...codes, networkAdvice }));
  known.set(key, declined);
  return declined;
}

function describe({
  class: table,
  onRepeat,
  briefRests,
  isRepresentable,
  waitHours = 0,
}: ClassifiedDecline): ServiceDecline {
  if (isRepresentable) return { class: 'bank_retry', waitHours };
  return {
    class: nameOf(table),
    waitHours,
    ...(briefRests ? { briefRests } : {}),
    ...(onRepeat ? { onRepeat: nameOf(onRepeat) } : {}),
  };
}

function nameOf(table: TableClass): DeclineClass {
  return table === 'merchant' ? 'never' : table;
}

/** A refusal that time may heal; others say nothing about good times. */
export function isHealedByTime(codes: GivenCodes): boolean {
  const { class: table } = classifyDecline(codes);
  return table === 'soft' || table === 'generic';
}
