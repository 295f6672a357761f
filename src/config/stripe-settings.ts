/** How we speak with Stripe, and know what comes from there. */
import type { SettingReader } from './setting-reader.ts';

export interface StripeAccess {
  readonly stripe: {
    readonly secretKey: string;
    readonly webhookSecrets: readonly string[];
    readonly apiBase: URL;
  };
  /** Whether the key is for real money; undefined if it does not tell. */
  readonly livemode: boolean | undefined;
  /** To one account, by all processes together. */
  readonly requestsPerSecond: number;
}

/** An endpoint for our own account and one for connected accounts, each with two while rotating. */
const ENDPOINT_SECRETS = 4;

/** Of 100, and of 25 in a sandbox (stripe-facts 3.10): a fifth is left to the merchant's own calls. */
const LIVE_PER_SECOND = 80;
const SANDBOX_PER_SECOND = 20;

/** What a secret is for stands at its beginning: one in the place of another is refused before it fails every call. */
export function readStripeAccess(read: SettingReader): StripeAccess {
  const secretKey = read.required(
    'STRIPE_SECRET_KEY',
    'take it from the Stripe Dashboard under Developers, API keys',
  );
  if (secretKey !== '' && !/^[sr]k_[!-~]+$/.test(secretKey))
    read.problem(
      'STRIPE_SECRET_KEY',
      'must start with sk_ or rk_: a secret or a restricted key, not the publishable one',
    );
  const apiBase = read.address('STRIPE_API_BASE', 'https://api.stripe.com');
  const livemode = modeOf(secretKey);
  const isStripesSandbox = livemode === false && apiBase.hostname === 'api.stripe.com';
  const fallback = isStripesSandbox ? SANDBOX_PER_SECOND : LIVE_PER_SECOND;
  return {
    stripe: { secretKey, webhookSecrets: readWebhookSecrets(read), apiBase },
    livemode,
    requestsPerSecond: read.integer('STRIPE_REQUESTS_PER_SECOND', { fallback, min: 1, max: 10_000 }),
  };
}

function readWebhookSecrets(read: SettingReader): string[] {
  const name = 'STRIPE_WEBHOOK_SECRET';
  const help = "take it from the webhook endpoint's page in the Stripe Dashboard";
  const secrets = read.list(name, help, ENDPOINT_SECRETS);
  const isGiven = read.optional(name) !== undefined;
  if (isGiven && !secrets.every((secret) => secret === '' || /^whsec_./.test(secret)))
    read.problem(name, `must start with whsec_, each of several; ${help}`);
  return secrets;
}

/** `sk_live_…`, `rk_test_…`; the key of a local stand-in may name neither. */
function modeOf(secretKey: string): boolean | undefined {
  const mode = /^[a-z]+_(live|test)_/.exec(secretKey)?.[1];
  return mode === undefined ? undefined : mode === 'live';
}
