/** Prefix of our attempts' idempotency keys, which Stripe's events contain (stripe-facts 1.3). */
const PREFIX = 'payment-retry:';

export function attemptKey(invoiceId: string, attemptId: string): string {
  return `${PREFIX}${invoiceId}:${attemptId}`;
}

export function isAttemptKey(key: string | null | undefined): boolean {
  return key?.startsWith(PREFIX) ?? false;
}
