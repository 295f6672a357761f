/** What a decline means for the next try, from the one table of codes in `src/declines`. */
import type { DeclineClass as TableClass } from '../../declines/decline-row.ts';
import { findDebitScheme, findDecline, isRepresentable, UNKNOWN_CLASS } from '../../declines/find-decline.ts';

/**
 * `hard`, `update`: another card is needed. `authentication`: the customer must confirm. `soft`: time helps.
 * `generic`: time may help, few attempts. `bank_retry`: a bank debit that may be presented again.
 * `never`: neither a retry nor a mail to the customer.
 */
export type DeclineClass = Exclude<TableClass, 'merchant'> | 'bank_retry' | 'never';

export function isBankDebit(methodType: string): boolean {
  return findDebitScheme(methodType) !== undefined;
}

/** A code that is not known, or is absent, counts as generic; on a bank debit it asks for another account. */
export function classifyDecline(
  methodType: string,
  code: string | undefined,
  networkCode?: string | undefined,
): DeclineClass {
  const known = findDecline(code)?.class ?? UNKNOWN_CLASS;
  const scheme = findDebitScheme(methodType);
  if (known === 'merchant') return 'never';
  if (!scheme) return known;
  return isRepresentable(scheme, code, networkCode) ? 'bank_retry' : 'hard';
}
