/** Attempts with the card to be charged, and declines that still bind it. Pure. */
import type { DateTime } from 'luxon';
import { type Classification, classifyDecline } from '../../../core/declines/decline-classes.ts';
import { listAttemptsWith } from '../../../core/limits/next-method.ts';
import { type CardAnswer, listBinding } from '../../../core/limits/paid-since.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { StoredAttempt } from '../../store/tables/retry/attempts.ts';
import type { OpenWarning } from '../../store/tables/sync/card-warnings.ts';
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

/** Days for which a decline on another invoice counts, unless it was final. */
const OTHER_INVOICE_DAYS = 30;

/** Attempts with the method to be charged. A new card starts afresh. */
export function onSameCard({ attempts, method }: Pick<CardQuestion, 'attempts' | 'method'>): StoredAttempt[] {
  return listAttemptsWith(attempts, method && { ...method, paymentMethod: method.id });
}

/**
 * Declines that still apply to this card, oldest first. Using another card in between changes nothing; only a later payment with
 * this one, a renewed card, or, for fixable declines, newly entered details do (stripe-facts 5.4, 6.5). A release settles
 * declines that only the merchant can fix.
 */
export function listBindingDeclines(
  question: CardQuestion & { readonly holds: Pick<InvoiceHolds, 'releasedAt'> },
): BindingDecline[] {
  const onCard = onSameCard(question);
  const declines = onCard
    .filter(({ outcome }) => outcome === 'declined' || outcome === 'requires_action')
    .map((attempt) => ({ attempt, startedAt: attempt.startedAt, ...classifyDecline(attempt) }))
    .filter((decline) => !isRenewed(question, decline.attempt))
    .filter((decline) => !(decline.isMendable && isMended(question, decline.attempt)))
    .filter((decline) => !(isOfMerchant(decline) && wasReleasedSince(question.holds, decline.startedAt)))
    .filter((decline) => !hasLapsed(question, decline));
  const paid = onCard.filter(isPayment).map(toAnswer);
  return listBinding(declines, paid, ({ attempt }) => toAnswer(attempt));
}

function isOfMerchant({ class: own, onRepeat = own }: Classification): boolean {
  return onRepeat === 'never';
}

/** Why a card whose holder reported a payment as fraud is not charged (stripe-facts 5.12), until a person releases the invoice. */
export function findFraudReport(warning: OpenWarning | undefined, holds: Pick<InvoiceHolds, 'releasedAt'>) {
  if (!warning || wasReleasedSince(holds, warning.openedAt)) return undefined;
  return { code: 'fraud_reported', warningId: warning.id } as const;
}

/** An attempt of ours may find the invoice paid by other means: then there is no charge. */
export function isPayment({ outcome, chargeId }: StoredAttempt): boolean {
  return outcome === 'paid' && chargeId !== null;
}

function toAnswer({ startedAt, cardExpiry, methodType }: StoredAttempt): CardAnswer {
  return { atMs: startedAt.toMillis(), expiry: cardExpiry ?? undefined, methodType: methodType ?? undefined };
}

/** Whether the network has renewed the card: same number, new expiry. Unknown counts as no. */
export function isRenewed({ method }: CardQuestion, { cardExpiry }: StoredAttempt): boolean {
  return cardExpiry !== null && method?.expiry !== undefined && cardExpiry !== method.expiry;
}

/** A payment after a new card: earlier fixable declines do not count. */
export function isCardChange(action: Pick<StoredAction, 'cause'>): boolean {
  return action.cause === 'card_change';
}

export function isBeforeCardChange({ action }: CardQuestion, attempt: StoredAttempt): boolean {
  return isCardChange(action) && attempt.startedAt < action.createdAt;
}

/** Whether the customer entered the card again; without a known expiry, any change of card counts. */
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
