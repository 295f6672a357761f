/** What the plugin asks of Stripe. One function per question; a missing object is `undefined`, not an error. */
import type { DateTime } from 'luxon';
import Stripe from 'stripe';
import { OWN_ACCOUNT } from '../config/account.ts';
import type { StripeKey } from '../config/stripe-settings.ts';
import { completePrices } from './complete-prices.ts';
import { completeSource } from './complete-source.ts';
import { ownedBy } from './customer-reference.ts';
import type { HttpClient } from './http/measured-http.ts';
import { createPermissionNames } from './permissions.ts';
import { listSavedCards } from './saved-cards.ts';
import { type BeforeWrite, createStripeChanges } from './stripe-changes.ts';
import { createStripeCharges } from './stripe-charges.ts';
import { createStripeLists } from './stripe-lists.ts';
import { ifAllowed, isAccessRefused, orUndefined } from './stripe-refusals.ts';

const TIMEOUT_MS = 30_000;
const APP_SIGNATURE_SECONDS = 300;
/** A start waits no longer to hear of the key. */
const TRIAL_MS = 5_000;
/** What Stripe leaves out of a price unless asked. */
const PRICE_PARTS = ['tiers', 'currency_options'] as const;

/** As many types as one list of events can be narrowed to (stripe-facts 1.9). */
const TYPES_PER_LIST = 20;

export interface EventRange {
  /** Both are included, in whole seconds. */
  from: DateTime;
  to: DateTime;
  types: readonly string[];
}

type Patience = Pick<Stripe.RequestOptions, 'timeout' | 'maxNetworkRetries'>;

/** For what somebody waits for, who is better served without it than late. */
export const IMPATIENT = { timeout: 5_000, maxNetworkRetries: 0 } as const satisfies Patience;

export interface AccountProfile {
  /** `acct_…`. */
  readonly id: string;
  readonly name: string;
  /** Of its branding, if it has one. */
  readonly color: string | undefined;
}

export { idOf } from './chosen-methods.ts';

/** What Stripe says of the key: it may be good and not allow what was tried (`lacking`). */
export type KeyTrial =
  | { readonly kind: 'good' }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'lacking'; readonly permission?: string }
  | { readonly kind: 'untried'; readonly reason: string };

export type StripeClient = ReturnType<typeof createStripeClient>;

/** Without `beforeWrite` it is for reading: whoever writes in earnest asks whether effects are paused. */
export function createStripeClient(
  config: Pick<StripeKey, 'stripe'>,
  beforeWrite: BeforeWrite = async () => {},
  httpClient: HttpClient | undefined = undefined,
) {
  const stripe = openSdk(config.stripe, httpClient);

  /** With its tiers and its amounts in other currencies, of which one may have its tiers too. */
  const findPrice = (account: string, id: string, tiersIn?: string) => {
    const ofOption = tiersIn === undefined ? [] : [`currency_options.${tiersIn}.tiers`];
    return orUndefined(() =>
      stripe.prices.retrieve(id, { expand: [...PRICE_PARTS, ...ofOption] }, on(account)),
    );
  };

  const describeRefusal = createPermissionNames(stripe);

  return {
    ...createStripeLists(stripe, on),
    ...createStripeCharges(stripe, on),

    /** Why Stripe refused the key, with what a restricted key would need for that call. */
    describeRefusal,

    /** By a read that we make all day. Stripe being away says nothing about the key. */
    tryKey: async (): Promise<KeyTrial> => {
      try {
        await stripe.events.list({ limit: 1 }, { timeout: TRIAL_MS, maxNetworkRetries: 0 });
        return { kind: 'good' };
      } catch (error) {
        if (error instanceof Stripe.errors.StripeAuthenticationError)
          return { kind: 'refused', code: error.code ?? 'invalid_api_key' };
        if (isAccessRefused(error)) return { kind: 'lacking', ...describeRefusal(error) };
        return { kind: 'untried', reason: reasonOf(error) };
      }
    },
    ...createStripeChanges(stripe, on, beforeWrite),

    /** Throws unless the secret signed the raw body within five minutes of `receivedAtMs`. */
    verifySignature: (payload: Buffer, header: string, secret: string, receivedAtMs: number): void => {
      const { signature, DEFAULT_TOLERANCE } = stripe.webhooks;
      if (!signature?.verifyHeader(payload, header, secret, DEFAULT_TOLERANCE, undefined, receivedAtMs))
        throw new Error('The signature does not fit.');
    },

    /** Whether one of the app's secrets signed exactly this text within five minutes of `receivedAtMs` (stripe-facts 7.5). */
    isSignedByApp: (payload: Buffer, signature: string, secrets: readonly string[], receivedAtMs: number) =>
      secrets.some((secret) => {
        try {
          stripe.webhooks.signature?.verifyHeader(
            payload,
            signature,
            secret,
            APP_SIGNATURE_SECONDS,
            undefined,
            receivedAtMs,
          );
          return stripe.webhooks.signature !== null;
        } catch {
          // Not always by an error of its own kind: an empty `v1=` is refused with a plain one.
          return false;
        }
      }),

    /** Page by page, of each page the newest first. Stripe keeps events for 30 days (stripe-facts 1.9). */
    listEvents: async function* (account: string, range: EventRange): AsyncGenerator<Stripe.Event[]> {
      const created = { gte: Math.floor(range.from.toSeconds()), lte: Math.floor(range.to.toSeconds()) };
      for (const types of chunk(range.types, TYPES_PER_LIST)) {
        const params: Stripe.EventListParams = { types, created, limit: 100 };
        for (let hasMore = true; hasMore; ) {
          const page = await stripe.events.list(params, on(account));
          // Before the page is given away: its reader may turn it round.
          const last = page.data.at(-1);
          yield page.data;
          hasMore = page.has_more && last !== undefined;
          if (last) params.starting_after = last.id;
        }
      }
    },

    /** With everything that the mapping needs: all items, and all of their prices that the amount hangs on. */
    findSubscription: (account: string, id: string) =>
      orUndefined(async () => {
        const options = on(account);
        const subscription = await stripe.subscriptions.retrieve(
          id,
          { expand: PRICE_PARTS.map((part) => `items.data.price.${part}`) },
          options,
        );
        const { items } = subscription;
        if (items.has_more) {
          const expand = PRICE_PARTS.map((part) => `data.price.${part}`);
          items.data = await stripe.subscriptionItems
            .list({ subscription: id, limit: 100, expand }, options)
            .autoPagingToArray({ limit: 10_000 });
          items.has_more = false;
        }
        return completePrices(subscription, (price, tiersIn) => findPrice(account, price, tiersIn));
      }),

    findPrice,

    /** As customers know it; undefined where the key may not read products. */
    findProductName: async (account: string, id: string, patience: Patience = {}) => {
      const product = await ifAllowed(() =>
        stripe.products.retrieve(id, {}, { ...on(account), ...patience }),
      );
      return product?.name;
    },

    findInvoice: (account: string, id: string) =>
      orUndefined(() => stripe.invoices.retrieve(id, {}, on(account))),

    /** An invoice with all that the decision to pay it rests on, in one read (four levels of expansion at most). */
    findPayableInvoice: (account: string, id: string, patience: Patience = {}) =>
      orUndefined(async () => {
        const options = { ...on(account), ...patience };
        const invoice: Stripe.Invoice = await stripe.invoices.retrieve(
          id,
          {
            expand: [
              'default_payment_method',
              'customer.invoice_settings.default_payment_method',
              'parent.subscription_details.subscription.default_payment_method',
              'payments.data.payment.payment_intent',
            ],
          },
          options,
        );
        const owner = invoice.customer_account ?? null;
        if (invoice.customer !== null || owner === null)
          return completeSource(invoice, (customer, source) =>
            ifAllowed(() => stripe.customers.retrieveSource(customer, source, {}, options)),
          );
        return { ...invoice, customer: await findAccountAsCustomer(stripe, owner, options) };
      }),

    findCustomer: (account: string, id: string) =>
      orUndefined(async () => {
        const customer = await stripe.customers.retrieve(id, {}, on(account));
        return customer.deleted ? undefined : customer;
      }),

    /** Newest first; none where there is but one. */
    listSavedCards: (account: string, owner: string) => listSavedCards(stripe, owner, on(account)),

    findPaymentMethod: (account: string, id: string) =>
      orUndefined(() => stripe.paymentMethods.retrieve(id, {}, on(account))),

    /**
     * Those that Stripe collects by charging and that may still be paid, uncollectible ones included, oldest first: of one
     * customer, by all its ids.
     */
    listUnpaidInvoices: async (
      account: string,
      owners: readonly string[],
      statuses: readonly ('open' | 'uncollectible' | 'draft')[] = ['open', 'uncollectible'],
    ): Promise<Stripe.Invoice[]> => {
      const unpaid = new Map<string, Stripe.Invoice>();
      for (const owner of owners) {
        for (const status of statuses) {
          const list = stripe.invoices.list(
            { ...ownedBy(owner), status, collection_method: 'charge_automatically', limit: 100 },
            on(account),
          );
          for (const invoice of await list.autoPagingToArray({ limit: 1_000 }))
            unpaid.set(invoice.id, invoice);
        }
      }
      return [...unpaid.values()].sort((left, right) => left.created - right.created);
    },

    /** How customers know the account; undefined if the key may not read it. Pages need it, and jobs are tried again. */
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

/** Stripe's own library, for what commands set up at a person's wish. The plugin asks through `createStripeClient`. */
export function openSdk(
  { secretKey, apiBase }: StripeKey['stripe'],
  httpClient: HttpClient | undefined = undefined,
): Stripe {
  return new Stripe(secretKey, {
    host: apiBase.hostname,
    port: apiBase.port || (apiBase.protocol === 'https:' ? 443 : 80),
    protocol: apiBase.protocol === 'https:' ? 'https' : 'http',
    timeout: TIMEOUT_MS,
    telemetry: false,
    ...(httpClient ? { httpClient } : {}),
  });
}

function on(account: string): Stripe.RequestOptions {
  return account === OWN_ACCOUNT ? {} : { stripeAccount: account };
}

/** With its own id, by which the invoice names it. Null where Stripe shows no customer for it. */
async function findAccountAsCustomer(
  stripe: Stripe,
  id: string,
  options: Stripe.RequestOptions,
): Promise<Stripe.Customer | null> {
  const expand = ['invoice_settings.default_payment_method'];
  const customer = await orUndefined(() => stripe.customers.retrieve(id, { expand }, options));
  return customer === undefined || customer.deleted ? null : { ...customer, id };
}

/** The status, or the system's word: nothing of what was sent. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Stripe.errors.StripeError)) return error instanceof Error ? error.name : 'unknown';
  const { detail, statusCode, type } = error;
  if (statusCode !== undefined) return `status ${statusCode}`;
  return detail instanceof Error && 'code' in detail ? String(detail.code) : type;
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
