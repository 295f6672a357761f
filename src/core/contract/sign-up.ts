const NOT_STARTED: ReadonlySet<string> = new Set(['incomplete', 'incomplete_expired']);

/** Only a subscription that has started is billed for these; a stored status can be older than the invoice. */
const OF_STARTED: ReadonlySet<string> = new Set([
  'subscription_cycle',
  'subscription_threshold',
  'subscription_update',
]);

/**
 * Whether an invoice is the first payment of a subscription that has not started: the customer makes it in the checkout,
 * and after 23 hours Stripe voids it (stripe-facts 2.1). An invoice after a trial, or the first one of a subscription that is
 * active before it is paid, is a renewal like any other.
 */
export function isSignUp(
  billingReason: string | null | undefined,
  subscriptionStatus: string | undefined,
): boolean {
  return !OF_STARTED.has(billingReason ?? '') && NOT_STARTED.has(subscriptionStatus ?? '');
}
