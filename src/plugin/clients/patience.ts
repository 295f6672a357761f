import type Stripe from 'stripe';

export type Patience = Pick<Stripe.RequestOptions, 'timeout' | 'maxNetworkRetries'>;

/** For what somebody waits for, who is better served without it than late. */
export const IMPATIENT = { timeout: 5_000, maxNetworkRetries: 0 } as const satisfies Patience;
