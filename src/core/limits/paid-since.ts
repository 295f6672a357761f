/** Which declines bind a card, and which attempts networks count: those since its last payment. Guards and policy judge by it. */
import { ONCE_MORE } from '../declines/classify.ts';
import { findDebitScheme } from '../declines/find-decline.ts';

/** An answer to a payment with one card or account, of any customer and for any invoice. */
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

/**
 * The declines that no payment with the card has ended. One that allows a single further attempt is final once there are two of its
 * kind (stripe-facts 5.9, 5.11).
 */
export function listBinding<
  Class extends string,
  Decline extends { readonly class: Class; readonly onRepeat?: Class | undefined },
>(
  declines: readonly Decline[],
  paid: readonly CardAnswer[],
  answerOf: (decline: Decline) => CardAnswer,
): Decline[] {
  const binding = declines.filter((decline) => !hasPaidSince(answerOf(decline), paid));
  const isFinal = binding.filter(({ onRepeat }) => onRepeat).length >= ONCE_MORE;
  return binding.map((decline) =>
    decline.onRepeat && isFinal ? { ...decline, class: decline.onRepeat } : decline,
  );
}

/** There the networks count all payments with a card (stripe-facts 5.10). */
const COUNTS_PAYMENTS = 'BR';

/** What networks count of the attempts with one card: those since its last payment. `country` is the card's. */
export function listCounted<Attempt extends { readonly atMs: number; readonly isPaid?: boolean | undefined }>(
  attempts: readonly Attempt[],
  country: string | undefined,
): readonly Attempt[] {
  if (country === COUNTS_PAYMENTS) return attempts;
  const paidAt = Math.max(...attempts.filter(({ isPaid }) => isPaid).map(secondOf));
  return attempts.filter((attempt) => !attempt.isPaid && secondOf(attempt) >= paidAt);
}

function secondOf({ atMs }: { readonly atMs: number }): number {
  return Math.floor(atMs / MS_PER_SECOND);
}

/** Unknown is not another. */
function isSameExpiry(one: CardAnswer, other: CardAnswer): boolean {
  return one.expiry === undefined || other.expiry === undefined || one.expiry === other.expiry;
}
