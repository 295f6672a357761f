/** The plugin's Stripe client, one function a question; a missing object is `undefined`. Derives missing permissions from refused calls, not from messages. */
import Stripe from 'stripe';
import { isError, messageOf } from '../../core/base/errors.ts';
import { OWN_ACCOUNT } from '../settings/account.ts';
import type { Config } from '../settings/config.ts';
import type { StripeKey } from '../settings/stripe-settings.ts';
import { idOf } from './chosen-methods.ts';
import { ownedBy } from './customer-reference.ts';
import type { HttpClient } from './http/measured-http.ts';
import { createStripeHttp } from './http/stripe-http.ts';
import { isOnOtherTestClock } from './other-test-clock.ts';
import { IMPATIENT } from './patience.ts';
import { createStripeCharges } from './reads/stripe-charges.ts';
import { createStripeEvents } from './reads/stripe-events.ts';
import { createStripeInvoices } from './reads/stripe-invoices.ts';
import { createStripeLists } from './reads/stripe-lists.ts';
import { createStripeSubscriptions } from './reads/stripe-subscriptions.ts';
import { createRetrySignal } from './retry-signal.ts';
import { type BeforeWrite, createStripeChanges } from './stripe-changes.ts';
import { ifAllowed, isAccessRefused, orUndefined } from './stripe-refusals.ts';
import { createStripeSignatures } from './stripe-signatures.ts';

const TIMEOUT_MS = 30_000;
/** Longest wait of a start for the key's trial. */
const TRIAL_MS = 5_000;

export interface AccountProfile {
  /** `acct_…`. */
  readonly id: string;
  readonly name: string;
  /** Branding colour, if any. */
  readonly color: string | undefined;
}

/** Stripe's verdict on the key: `lacking` is a valid key without this permission. */
export type KeyTrial =
  | { readonly kind: 'good' }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'lacking'; readonly permission?: string }
  | { readonly kind: 'untried'; readonly reason: string };

export type StripeClient = ReturnType<typeof createStripeClient>;

/** Required for writes; a client without them only reads. */
export interface Gates {
  readonly beforeWrite?: BeforeWrite;
  /** Resolves when a payment for the account may begin. */
  readonly awaitPaymentTurn?: (account: string) => Promise<void>;
  /** Whether lists are read at a pace, in real time. */
  readonly isPaced?: boolean;
}

export function createStripeClient(
  config: Pick<StripeKey, 'stripe'> & Partial<Pick<Config, 'testClock'>>,
  { beforeWrite = async () => {}, awaitPaymentTurn = async () => {}, isPaced = true }: Gates = {},
  httpClient: HttpClient | undefined = undefined,
) {
  const stripe = openSdk(config.stripe, httpClient);
  const on = createOn(config.stripe.context);
  const describeRefusal = createPermissionNames(stripe);
  const isOurs = (object: unknown) => !isOnOtherTestClock(config, object);

  return {
    ...createStripeEvents(stripe, on),
    ...createStripeLists(stripe, on, isPaced),
    ...createStripeSubscriptions(stripe, on),
    ...createStripeInvoices(stripe, on, isOurs),
    ...createStripeCharges(stripe, on),
    ...createStripeChanges(stripe, on, beforeWrite),
    ...createRetrySignal(stripe, on, beforeWrite),
    ...createStripeSignatures(stripe),
    awaitPaymentTurn,

    /** Why Stripe refused the key, with the permission missing for that call. */
    describeRefusal,

    /** Tries the key with a frequent read. An outage of Stripe says nothing about the key. */
    tryKey: async (): Promise<KeyTrial> => {
      try {
        await stripe.events.list({ limit: 1 }, { timeout: TRIAL_MS, maxNetworkRetries: 0 });
        return { kind: 'good' };
      } catch (error) {
        if (error instanceof Stripe.errors.StripeAuthenticationError)
          return { kind: 'refused', code: error.code ?? 'invalid_api_key' };
        if (isOfNoAccount(error)) return { kind: 'refused', code: error.code ?? 'status 400' };
        if (isAccessRefused(error)) return { kind: 'lacking', ...describeRefusal(error) };
        return { kind: 'untried', reason: reasonOf(error) };
      }
    },

    findCustomer: (account: string, id: string) =>
      orUndefined(async () => {
        const customer = await stripe.customers.retrieve(id, {}, on(account));
        return customer.deleted ? undefined : customer;
      }),

    /** Newest first; empty for a single card. */
    listSavedCards: (account: string, owner: string) => listSavedCards(stripe, owner, on(account)),

    /** Whether the portal of our own account, by default its usual configuration, lets customers pause. */
    offersPause: async (configuration: string | undefined): Promise<boolean> => {
      const page = await ifAllowed(() => stripe.billingPortal.configurations.list({ limit: 100 }, IMPATIENT));
      const used = page?.data.find((one) => (configuration ? one.id === configuration : one.is_default));
      return used?.features.subscription_pause.enabled ?? false;
    },

    findPaymentMethod: (account: string, id: string) =>
      orUndefined(() => stripe.paymentMethods.retrieve(id, {}, on(account))),

    /** Profile known to customers; undefined if the key may not read it. Fast, because pages wait for it and jobs retry. */
    findProfile: async (account: string): Promise<AccountProfile | undefined> => {
      const options = { ...on(account), ...IMPATIENT };
      const found = await ifAllowed(() => stripe.accounts.retrieveCurrent({}, options));
      if (!found) return undefined;
      const { business_profile: business, settings, id } = found;
      return {
        id,
        name: business?.name ?? settings?.dashboard.display_name ?? id,
        color: settings?.branding?.primary_color ?? undefined,
      };
    },
  };
}

/** Stripe's own library, for set-up commands. The plugin uses `createStripeClient`. */
export function openSdk(
  { secretKey, apiBase, context }: StripeKey['stripe'],
  httpClient: HttpClient = createStripeHttp(),
): Stripe {
  return new Stripe(secretKey, {
    host: apiBase.hostname,
    port: apiBase.port || (apiBase.protocol === 'https:' ? 443 : 80),
    protocol: apiBase.protocol === 'https:' ? 'https' : 'http',
    timeout: TIMEOUT_MS,
    telemetry: false,
    ...(context === undefined ? {} : { stripeContext: context }),
    httpClient,
  });
}

/** An organization's key needs the path to a connected account, others its id. */
function createOn(context: string | undefined): (account: string) => Stripe.RequestOptions {
  return (account) => {
    if (account === OWN_ACCOUNT) return {};
    return context === undefined ? { stripeAccount: account } : { stripeContext: `${context}/${account}` };
  };
}

/** Whether the key belongs to no account, or not to the named one. */
function isOfNoAccount(error: unknown): error is Stripe.errors.StripeError {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  return error.statusCode === 400 || error.code === 'account_invalid';
}

/** Status or system code, without request data. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Stripe.errors.StripeError)) return isError(error) ? error.name : 'unknown';
  const { detail, statusCode, type } = error;
  if (statusCode !== undefined) return `status ${statusCode}`;
  return isError(detail) && 'code' in detail ? String(detail.code) : type;
}

interface SavedCard {
  readonly method: Stripe.PaymentMethod;
  /** Set up for payments without the customer. */
  readonly isForOffSession: boolean;
}

/** Newest first. The setup shows the purpose of a method, the method does not (stripe-facts 6.7). */
async function listSavedCards(
  stripe: Stripe,
  owner: string,
  options: Stripe.RequestOptions,
): Promise<SavedCard[]> {
  const methods = await stripe.paymentMethods
    .list({ ...ownedBy(owner), type: 'card', limit: 100 }, options)
    .autoPagingToArray({ limit: 500 });
  if (methods.length < 2) return [];
  const setups = await stripe.setupIntents
    .list({ ...ownedBy(owner), limit: 100 }, options)
    .autoPagingToArray({ limit: 500 });
  const ready = new Set(
    setups
      .filter(({ status, usage }) => status === 'succeeded' && usage === 'off_session')
      .map(({ payment_method }) => idOf(payment_method)),
  );
  return methods
    .sort((one, other) => other.created - one.created)
    .map((method) => ({ method, isForOffSession: ready.has(method.id) }));
}

/** Dashboard names by path; the first match counts. */
const NAMES: readonly (readonly [path: RegExp, name: string])[] = [
  [/^\/v1\/customers\/[^/]+\/sources/, 'Sources'],
  [/^\/v1\/(charges|refunds)/, 'Charges'],
  [/^\/v1\/disputes/, 'Disputes'],
  [/^\/v1\/customers/, 'Customers'],
  [/^\/v1\/(invoices|invoice_payments)/, 'Invoices'],
  [/^\/v1\/subscription/, 'Subscriptions'],
  [/^\/v1\/payment_methods/, 'Payment Methods'],
  [/^\/v1\/payment_method_configurations/, 'Payment Method Configurations'],
  [/^\/v1\/setup_intents/, 'Setup Intents'],
  [/^\/v1\/events/, 'Events'],
  [/^\/v1\/prices/, 'Prices'],
  [/^\/v1\/products/, 'Products'],
  [/^\/v1\/payment_intents/, 'Payment Intents'],
  [/^\/v1\/billing_portal/, 'Customer portal'],
  [/^\/v1\/account$/, 'Accounts'],
  [/^\/v1\/mandates/, 'Mandates'],
];
const REMEMBERED = 500;

/** Remembers refused requests, because Stripe's errors do not name the request. */
function createPermissionNames(stripe: Stripe) {
  const refused = new Map<string, string>();
  stripe.on('response', (answer: Stripe.ResponseEvent) => {
    const { status, request_id: request, method = 'GET', path = '' } = answer;
    if (status !== 403 || request === undefined) return;
    refused.set(request, namePermission(method, path));
    const [oldest] = refused.keys();
    if (refused.size > REMEMBERED && oldest !== undefined) refused.delete(oldest);
  });

  /** `permission` (`Charges (read)`) is absent if another cause rules out the key. */
  return (error: unknown): { message: string; permission?: string } => {
    const message = messageOf(error);
    const isLacking =
      error instanceof Stripe.errors.StripePermissionError && error.code !== 'account_invalid';
    const permission = isLacking ? refused.get(error.requestId ?? '') : undefined;
    return { message, ...(permission === undefined ? {} : { permission }) };
  };
}

/** `Charges (read)`; the path itself if unknown. */
export function namePermission(method: string, path: string): string {
  const [, name = path.split('?')[0]] = NAMES.find(([pattern]) => pattern.test(path)) ?? [];
  return `${name} (${method === 'GET' ? 'read' : 'write'})`;
}
