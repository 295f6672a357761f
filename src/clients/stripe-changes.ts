/** What the plugin changes at Stripe beside payments. */
import type Stripe from 'stripe';

export function createStripeChanges(stripe: Stripe, on: (account: string) => Stripe.RequestOptions) {
  return {
    /** Off ends Stripe's own attempts and mails for an invoice; on lets its schedule go on (stripe-facts 3.5, 4.4). */
    setAutoAdvance: (account: string, invoiceId: string, isOn: boolean) =>
      stripe.invoices.update(invoiceId, { auto_advance: isOn }, on(account)),

    /** It comes before the customer's, and before a source that the subscription names (stripe-facts 3.6). */
    setSubscriptionMethod: (
      account: string,
      { id, paymentMethod, idempotencyKey }: { id: string; paymentMethod: string; idempotencyKey: string },
    ) =>
      stripe.subscriptions.update(
        id,
        { default_payment_method: paymentMethod },
        { ...on(account), idempotencyKey },
      ),

    /** At once, without a last invoice: what is owed stays owed. Stripe takes no idempotency key here, and needs none. */
    cancelSubscription: (account: string, id: string, comment: string) =>
      stripe.subscriptions.cancel(
        id,
        { invoice_now: false, prorate: false, cancellation_details: { comment } },
        on(account),
      ),

    /** Invoices that it makes from now on stay drafts, until collection is resumed (stripe-facts 2.7). */
    pauseCollection: (account: string, id: string, idempotencyKey: string) =>
      stripe.subscriptions.update(
        id,
        { pause_collection: { behavior: 'keep_as_draft' } },
        { ...on(account), idempotencyKey },
      ),

    markUncollectible: (account: string, id: string, idempotencyKey: string) =>
      stripe.invoices.markUncollectible(id, {}, { ...on(account), idempotencyKey }),
  };
}
