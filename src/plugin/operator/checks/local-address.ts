/** A PUBLIC_URL that only this machine opens: what does not work with it, for `start`, `connect` and `doctor`. */

import { isLoopback } from '../../../core/base/loopback.ts';
import type { Config } from '../../settings/config.ts';

interface Addresses {
  readonly publicUrl: URL;
  readonly stripe: Pick<Config['stripe'], 'apiBase'>;
}

export const REACHABLE_ADDRESS =
  'Set PUBLIC_URL to an https address that the internet reaches, or use `stripe listen --forward-to localhost:8080/webhooks/stripe` while you develop; it prints the secret for STRIPE_WEBHOOK_SECRET.';

/** Undefined where the address is public, or where Stripe is simulated on this machine, too. */
export function describeLocalAddress({ publicUrl, stripe }: Addresses): string | undefined {
  if (!isLoopback(publicUrl.hostname) || isLoopback(stripe.apiBase.hostname)) return undefined;
  return `PUBLIC_URL is ${publicUrl.href}, which only this machine reaches: Stripe's webhooks do not arrive, and links in emails, the card-update page and the console open nowhere else`;
}
