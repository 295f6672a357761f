/** Facts about an attempt in its charge. Pure. */
import type Stripe from 'stripe';
import { fromUnixSeconds } from '../../core/base/clock.ts';
import { printableText } from '../../core/base/printable-text.ts';
import { blockReason } from '../../core/declines/find-decline.ts';
import { idOf } from './chosen-methods.ts';
import { expiryOf, fingerprintOf, typeOfId } from './method-identity.ts';

export type ChargeFacts = Readonly<ReturnType<typeof readCharge>>;

export function readCharge(charge: Stripe.Charge) {
  const { payment_method_details: details } = charge;
  return {
    chargeId: charge.id,
    paymentIntent: idOf(charge.payment_intent),
    /** Minor units. */
    amount: charge.amount,
    refunded: charge.amount_refunded,
    currency: charge.currency,
    chargedAt: fromUnixSeconds(charge.created),
    paymentMethod: charge.payment_method ?? undefined,
    methodType: details?.type ?? typeOfId(charge.payment_method),
    brand: networkOf(details?.card),
    fingerprint: fingerprintOf(details),
    /** Expiry of a card, `2030-04`. */
    cardExpiry: expiryOf(details),
    result: readResult(charge),
  };
}

/** A card with two brands is counted, and its codes are read, by the network used (stripe-facts 5.1). */
function networkOf(card: { network: string | null; brand: string | null } | undefined): string | undefined {
  const network = card?.network === 'unknown' ? undefined : card?.network;
  return network ?? card?.brand ?? undefined;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  succeeded: 'paid',
  failed: 'declined',
  pending: 'pending',
};

function readResult(charge: Stripe.Charge) {
  const { outcome } = charge;
  return {
    outcome: OUTCOMES[charge.status] ?? 'pending',
    code: charge.failure_code ?? undefined,
    declineCode: readDeclineCode(outcome),
    adviceCode: outcome?.advice_code ?? undefined,
    networkCode: outcome?.network_decline_code ?? undefined,
    networkAdvice: outcome?.network_advice_code ?? undefined,
    detail: printableText(charge.failure_message ?? outcome?.seller_message ?? ''),
  };
}

/** `charge.outcome` names a block if the decline code is `generic_decline` (stripe-facts 5.3). */
function readDeclineCode(outcome: Stripe.Charge.Outcome | null): string | undefined {
  if (!outcome || outcome.type === 'authorized' || outcome.type === 'manual_review') return undefined;
  return outcome.type === 'blocked' ? blockReason(outcome.reason) : (outcome.reason ?? undefined);
}
