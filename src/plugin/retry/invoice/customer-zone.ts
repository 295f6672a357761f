import type Stripe from 'stripe';
import { findTimeZone } from '../../../core/base/time-zones.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

/** Zone of the customer's address, else the default zone. */
export function customerZone(
  deps: Pick<RetryDeps, 'config'>,
  customer: Pick<Stripe.Customer, 'address'> | undefined,
): string {
  const { country, state } = customer?.address ?? {};
  return findTimeZone({ country: country ?? undefined, state: state ?? undefined }) ?? deps.config.timeZone;
}
