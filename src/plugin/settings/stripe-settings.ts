/** How we speak with Stripe, and know what comes from there. */
import type { SettingReader } from './setting-reader.ts';

/** What it takes to ask Stripe. */
export interface StripeKey {
  readonly stripe: {
    readonly secretKey: string;
    readonly apiBase: URL;
    /** The account on which an organization's key acts: `acct_…`, or the path to it. */
    readonly context?: string | undefined;
  };
  /** Whether the key is for real money; undefined if it does not say. */
  readonly livemode: boolean | undefined;
  /** Requests to one account, by all processes together. */
  readonly requestsPerSecond: number;
}

export interface StripeAccess extends StripeKey {
  readonly stripe: StripeKey['stripe'] & { readonly webhookSecrets: readonly string[] };
}

/** Share of Stripe's 25 in a sandbox, as the default is of 100 (stripe-facts 3.10): a fifth is left to the merchant's own calls. */
const SANDBOX_PER_SECOND = 20;

/** Share of Stripe's 25 to one endpoint (stripe-facts 3.10). */
const ENDPOINT_PER_SECOND = 20;

/** Requests to one endpoint of an account, by all processes together. */
export function endpointPace(requestsPerSecond: number): number {
  return Math.min(requestsPerSecond, ENDPOINT_PER_SECOND);
}

export function readStripeAccess(read: SettingReader): StripeAccess {
  const { stripe, ...key } = readStripeKey(read);
  const help = "take it from the webhook endpoint's page in the Stripe Dashboard";
  return { ...key, stripe: { ...stripe, webhookSecrets: read.secrets('STRIPE_WEBHOOK_SECRET', help) } };
}

export function readStripeKey(read: SettingReader): StripeKey {
  const secretKey = read.required(
    'STRIPE_SECRET_KEY',
    'take it from the Stripe Dashboard under Developers, API keys',
  );
  const apiBase = read.address('STRIPE_API_BASE');
  const context = read.get('STRIPE_CONTEXT');
  if (secretKey.startsWith('sk_org_') && context === undefined)
    read.problem(
      'STRIPE_CONTEXT',
      'is required with the key of an organization (sk_org_…): the id of the account that is meant, acct_…',
    );
  const livemode = modeOf(secretKey);
  const isStripesSandbox = livemode === false && apiBase.hostname === 'api.stripe.com';
  const hasSandboxPace = isStripesSandbox && read.optional('STRIPE_REQUESTS_PER_SECOND') === undefined;
  return {
    stripe: { secretKey, apiBase, context },
    livemode,
    requestsPerSecond: hasSandboxPace ? SANDBOX_PER_SECOND : read.get('STRIPE_REQUESTS_PER_SECOND'),
  };
}

/** `sk_live_…`, `rk_test_…`, `sk_org_live_…`; the key of a local stand-in may name neither. */
function modeOf(secretKey: string): boolean | undefined {
  const mode = /^[a-z]+(?:_org)?_(live|test)_/.exec(secretKey)?.[1];
  return mode === undefined ? undefined : mode === 'live';
}
