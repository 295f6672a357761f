import type Stripe from 'stripe';

export type Patience = Pick<Stripe.RequestOptions, 'timeout' | 'maxNetworkRetries'>;

/** Limits for requests that a person waits for, who needs a fast answer more than a complete one. */
export const IMPATIENT = { timeout: 5_000, maxNetworkRetries: 0 } as const satisfies Patience;
