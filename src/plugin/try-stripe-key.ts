import type { StripeClient } from '../clients/stripe-client.ts';
import { ConfigError } from '../kit/errors.ts';
import type { Logger } from '../kit/logger.ts';

/** Said at the start, before any work begins. Throws ConfigError for a key that Stripe does not take. */
export async function tryStripeKey(stripe: Pick<StripeClient, 'tryKey'>, logger: Logger): Promise<void> {
  const trial = await stripe.tryKey();
  if (trial.kind === 'refused')
    throw new ConfigError([
      `STRIPE_SECRET_KEY is not accepted by Stripe (${trial.code}): take the key from https://dashboard.stripe.com/apikeys, of the account and the mode (live or test) that is meant`,
    ]);
  if (trial.kind === 'lacking')
    logger.warn(
      { permission: trial.permission },
      'the Stripe key is good but lacks a permission: give it to the restricted key; docs/reference/security.md lists all that are needed',
    );
  if (trial.kind === 'untried')
    logger.warn(
      { reason: trial.reason },
      'Stripe could not be reached to try the key: going on; what comes in is kept, and calls are repeated',
    );
}
