/** The cards that a customer saved so that they can be charged while the customer is away. */
import type Stripe from 'stripe';
import { idOf } from '../chosen-methods.ts';
import { ownedBy } from '../customer-reference.ts';

export interface SavedCard {
  readonly method: Stripe.PaymentMethod;
  /** It was set up for payments without the customer. */
  readonly isForOffSession: boolean;
}

/** Newest first. A method does not say what it was saved for; the setup that made it does (stripe-facts 6.7). */
export async function listSavedCards(
  stripe: Stripe,
  owner: string,
  options: Stripe.RequestOptions,
): Promise<SavedCard[]> {
  const methods = await stripe.paymentMethods
    .list({ ...ownedBy(owner), type: 'card', limit: 100 }, options)
    .autoPagingToArray({ limit: 500 });
  if (methods.length < 2) return [];
  const setups = await stripe.setupIntents
    .list({ ...ownedBy(owner), limit: 100 }, options)
    .autoPagingToArray({ limit: 500 });
  const ready = new Set(
    setups
      .filter(({ status, usage }) => status === 'succeeded' && usage === 'off_session')
      .map(({ payment_method }) => idOf(payment_method)),
  );
  return methods
    .sort((one, other) => other.created - one.created)
    .map((method) => ({ method, isForOffSession: ready.has(method.id) }));
}
