/** The idempotency key of an attempt of ours. Stripe's events name the key of the call that caused them (stripe-facts 1.3). */
const PREFIX = 'payment-retry:';

export function attemptKey(invoiceId: string, attemptId: string): string {
  return `${PREFIX}${invoiceId}:${attemptId}`;
}

export function isAttemptKey(key: string | null | undefined): boolean {
  return key?.startsWith(PREFIX) ?? false;
}
