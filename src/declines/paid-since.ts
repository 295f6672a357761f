/** A payment that a card has made ends what it was declined with before. The guards and the service's policy judge by it. */
import { findDebitScheme } from './find-decline.ts';

/** An answer to a payment with one card or account, whoever's customer and whichever invoice it was for. */
export interface CardAnswer {
  readonly atMs: number;
  /** `2030-04`, where it is known: with another expiry it is another card (stripe-facts 6.5). */
  readonly expiry: string | undefined;
  readonly methodType: string | undefined;
}

const MS_PER_SECOND = 1000;

/**
 * Whether one of the payments was made with the same card in a later second: Stripe gives no more than the second, and of
 * two answers within one the decline may be the later. A bank debit is not presented again because another one passed.
 */
export function hasPaidSince(declined: CardAnswer, paid: readonly CardAnswer[]): boolean {
  if (findDebitScheme(declined.methodType)) return false;
  const second = secondOf(declined);
  return paid.some((payment) => secondOf(payment) > second && isSameExpiry(payment, declined));
}

function secondOf({ atMs }: CardAnswer): number {
  return Math.floor(atMs / MS_PER_SECOND);
}

/** Unknown is not another. */
function isSameExpiry(one: CardAnswer, other: CardAnswer): boolean {
  return one.expiry === undefined || other.expiry === undefined || one.expiry === other.expiry;
}
