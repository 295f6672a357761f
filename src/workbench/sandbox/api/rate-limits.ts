import type { Clock } from '../../../core/base/clock.ts';
import { type ApiError, unexecuted } from '../api-error.ts';

/** Requests a second (stripe-facts 3.10). */
export interface RateLimits {
  /** Limit of an account. */
  account: number;
  /** Limit of each method and path of an account. */
  endpoint: number;
}

/** Throws when a call is one too many in its second; it does not count then. */
export type RateLimiter = (endpoint: string) => void;

export function createRateLimiter(clock: Clock, limits: RateLimits | undefined): RateLimiter {
  if (limits === undefined) return () => {};
  let second = Number.NaN;
  let calls: string[] = [];
  return (endpoint) => {
    const now = Math.floor(clock.now().toSeconds());
    if (now !== second) calls = [];
    second = now;
    if (calls.length >= limits.account) throw rateLimited('global-rate');
    if (calls.filter((one) => one === endpoint).length >= limits.endpoint) throw rateLimited('endpoint-rate');
    calls.push(endpoint);
  };
}

/** Whether the account or the endpoint had too much is said in a header; nothing is kept under the idempotency key. */
export function rateLimited(reason: 'global-rate' | 'endpoint-rate' = 'global-rate'): ApiError {
  return unexecuted(
    429,
    {
      type: 'invalid_request_error',
      code: 'rate_limit',
      doc_url: 'https://stripe.com/docs/error-codes/rate-limit',
      message: 'Request rate limit exceeded.',
    },
    { 'Stripe-Rate-Limited-Reason': reason },
  );
}
