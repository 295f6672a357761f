const NOT_STARTED: ReadonlySet<string> = new Set(['incomplete', 'incomplete_expired']);

/** Billing reasons of started subscriptions; a stored status may be older than the invoice. */
const OF_STARTED: ReadonlySet<string> = new Set([
  'subscription_cycle',
  'subscription_threshold',
  'subscription_update',
]);

/**
 * Whether an invoice is the first payment of a subscription that has not started: the customer makes it in the checkout, and Stripe voids it
 * after 23 hours (stripe-facts 2.1). Invoices after a trial, or of a subscription active before payment, are renewals.
 */
export function isSignUp(
  billingReason: string | null | undefined,
  subscriptionStatus: string | undefined,
): boolean {
  return !OF_STARTED.has(billingReason ?? '') && NOT_STARTED.has(subscriptionStatus ?? '');
}
