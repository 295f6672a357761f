/** What was tried with the card that would be charged now, and which of its declines still bind it. Pure. */
import type { DateTime } from 'luxon';
import { ONCE_MORE } from '../../../core/declines/classify.ts';
import { type Classification, classifyDecline } from '../../../core/declines/decline-classes.ts';
import { listAttemptsWith } from '../../../core/limits/next-method.ts';
import { type CardAnswer, hasPaidSince } from '../../../core/limits/paid-since.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { StoredAttempt } from '../../store/tables/retry/attempts.ts';
import { type InvoiceHolds, wasReleasedSince } from '../invoice/invoice-holds.ts';
import type { PaymentMethodFacts } from '../invoice/payable-invoice.ts';

export interface CardQuestion {
  readonly now: DateTime;
  readonly action: Pick<StoredAction, 'cause' | 'createdAt'>;
  readonly invoice: { readonly id: string };
  readonly method: PaymentMethodFacts | undefined;
  readonly attempts: readonly StoredAttempt[];
}

export interface BindingDecline extends Classification {
  readonly startedAt: DateTime;
}

/** So long a decline on another invoice counts, unless it was for good. */
const OTHER_INVOICE_DAYS = 30;

/** Attempts with the method that would be charged. A new card starts afresh. */
export function onSameCard({ attempts, method }: Pick<CardQuestion, 'attempts' | 'method'>): StoredAttempt[] {
  return listAttemptsWith(attempts, method && { ...method, paymentMethod: method.id });
}

/**
 * The declines that still say something about this card, oldest first. It does not help to have used another card in
 * between: only a payment that this one has made since, a renewed card, or for what can be fixed the details given anew,
 * is another matter (stripe-facts 5.4, 6.5). What only the merchant can fix is fixed once a person releases the invoice.
 */
export function listBindingDeclines(
  question: CardQuestion & { readonly holds: Pick<InvoiceHolds, 'releasedAt'> },
): BindingDecline[] {
  const onCard = onSameCard(question);
  const paid = onCard.filter(isPayment).map(toAnswer);
  const binding = onCard
    .filter(({ outcome }) => outcome === 'declined' || outcome === 'requires_action')
    .filter((attempt) => !hasPaidSince(toAnswer(attempt), paid))
    .map((attempt) => ({ attempt, startedAt: attempt.startedAt, ...classifyDecline(attempt) }))
    .filter((decline) => !isRenewed(question, decline.attempt))
    .filter((decline) => !(decline.isMendable && isMended(question, decline.attempt)))
    .filter((decline) => !(isOfMerchant(decline) && wasReleasedSince(question.holds, decline.startedAt)))
    .filter((decline) => !hasLapsed(question, decline))
    .map(({ attempt: _attempt, ...decline }) => decline);
  const isFinal = binding.filter(({ onRepeat }) => onRepeat !== undefined).length >= ONCE_MORE;
  return binding.map((decline) =>
    decline.onRepeat && isFinal ? { ...decline, class: decline.onRepeat } : decline,
  );
}

function isOfMerchant({ class: own, onRepeat = own }: Classification): boolean {
  return onRepeat === 'never';
}

/** An attempt of ours may have found the invoice paid by other means: then there is no charge. */
export function isPayment({ outcome, chargeId }: StoredAttempt): boolean {
  return outcome === 'paid' && chargeId !== null;
}

function toAnswer({ startedAt, cardExpiry, methodType }: StoredAttempt): CardAnswer {
  return { atMs: startedAt.toMillis(), expiry: cardExpiry ?? undefined, methodType: methodType ?? undefined };
}

/** Whether the network has renewed the card since: the same number, another expiry. Unknown is not renewed. */
export function isRenewed({ method }: CardQuestion, { cardExpiry }: StoredAttempt): boolean {
  return cardExpiry !== null && method?.expiry !== undefined && cardExpiry !== method.expiry;
}

/** A payment because the customer has another card: what may be forgotten was said before it. */
export function isCardChange(action: Pick<StoredAction, 'cause'>): boolean {
  return action.cause === 'card_change';
}

export function isBeforeCardChange({ action }: CardQuestion, attempt: StoredAttempt): boolean {
  return isCardChange(action) && attempt.startedAt < action.createdAt;
}

/** The customer entered the card again. Of an attempt whose expiry is not known, a change of card may have been that. */
function isMended(question: CardQuestion, attempt: StoredAttempt): boolean {
  if (attempt.paymentMethod !== null && attempt.paymentMethod !== question.method?.id) return true;
  return attempt.cardExpiry === null && isBeforeCardChange(question, attempt);
}

function hasLapsed(
  { invoice, now }: CardQuestion,
  decline: BindingDecline & { attempt: StoredAttempt },
): boolean {
  const isOfInvoice = decline.attempt.invoiceId === invoice.id;
  if (decline.onRepeat !== undefined && !isOfInvoice) return true;
  const isForGood = decline.class === 'needs_new_card' && !decline.isMendable;
  const isLasting = isForGood || isOfInvoice;
  const days = decline.bindsDays ?? (isLasting ? undefined : OTHER_INVOICE_DAYS);
  return days !== undefined && decline.startedAt.plus({ days }) <= now;
}
