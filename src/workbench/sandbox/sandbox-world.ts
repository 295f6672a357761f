import type { Clock } from '../../core/base/clock.ts';
import { createCollection } from './collection.ts';
import { createDueQueue } from './due-queue.ts';
import { createObjectIds, type ObjectIds } from './object-ids.ts';
import { buildAccount } from './objects/build-customer.ts';
import {
  buildMethodConfiguration,
  buildPortalConfiguration,
  CONFIGURABLE_TYPES,
} from './objects/build-portal-configuration.ts';
import type {
  Account,
  BillingPortalConfiguration,
  BillingPortalSession,
  Charge,
  CreditNote,
  CurrencyOption,
  Customer,
  Dispute,
  Event,
  FraudWarning,
  Invoice,
  InvoiceItem,
  InvoicePayment,
  Mandate,
  PaymentIntent,
  PaymentMethod,
  PaymentMethodConfiguration,
  Price,
  PriceTier,
  Product,
  Refund,
  RetryEvaluation,
  SetupIntent,
  EventDestination as ShownDestination,
  Subscription,
  SubscriptionSchedule,
  TaxRate,
  TestClock,
  WebhookEndpoint,
} from './objects/wire.ts';
import type { PaymentMethodBehaviour } from './payment-behaviour.ts';

/** The whole simulated account: Stripe's objects, and the simulation's own records. */
export interface World extends Readonly<ReturnType<typeof createRecords>> {
  readonly clock: Clock;
  readonly ids: ObjectIds;
  readonly policy: StripePolicy;
  readonly account: Account;
  /** The account as it is at a test clock's time, by the clock's id. */
  readonly atTestClock: Map<string, World>;
  /** The clock that this is the time of; null for the account's own. */
  readonly testClock: string | null;
  /** Connected to a platform, whose endpoints its events go to. */
  readonly isConnected: boolean;
  readonly eventListeners: ((event: Event) => void)[];
  /** The current API call; null ids while Stripe acts on its own (stripe-facts 1.3). */
  cause: Cause;
  /** The platform's access was revoked: it gets no events and no answers. */
  isRevoked: boolean;
  /** Where this account is served; known once the server listens. */
  baseUrl: string;
}

/** What assertions may look at: the account and all its collections. */
export type WorldState = Pick<World, 'account' | Collections>;
type Collections = {
  [Name in keyof World]: World[Name] extends { newestFirst: unknown } ? Name : never;
}[keyof World];

export type Cause = NonNullable<Event['request']>;
export const BY_ITSELF: Cause = { id: null, idempotency_key: null };

/** The merchant's choices in the Dashboard, which no API reaches (stripe-facts 4.1). */
export interface StripePolicy {
  /** `smart` is what Stripe recommends; else a number of tries in some days, or a custom schedule. */
  stripeRetries: 'off' | 'smart' | SmartRetries | CustomRetries;
  /** The subscription's status when a renewal's first attempt fails. */
  afterFirstFailure: 'past_due' | 'pause';
  /** The subscription's status when the retries of its latest invoice are used up. */
  afterLastRetry: 'past_due' | 'unpaid' | 'cancel' | 'pause';
  /** The status of an invoice whose retries are used up. */
  lastRetryLeaves: 'open' | 'uncollectible';
  /** ACH debits are retried only where the merchant asks for it (stripe-facts 4.5). */
  retriesDebits: boolean;
  /** Whether Automations are in use: failures do not show the next attempt then (stripe-facts 3.2). */
  usesAutomations: boolean;
  /** Hours for which Stripe's own invoices stay drafts (stripe-facts 1.6). */
  draftHours: number;
  /** Percent by country, for objects with `automatic_tax`. */
  taxes: Readonly<Record<string, number>>;
  /** Whether the account was let into the preview of Smart Retries Signal (stripe-facts 4.6). */
  retrySignal: boolean;
}

export interface SmartRetries {
  tries: number;
  days: number;
}

export interface CustomRetries {
  /** Days between one attempt and the next. */
  afterDays: readonly number[];
}

const USUAL_POLICY: StripePolicy = {
  stripeRetries: 'off',
  afterFirstFailure: 'past_due',
  afterLastRetry: 'past_due',
  lastRetryLeaves: 'open',
  retriesDebits: false,
  usesAutomations: false,
  draftHours: 1,
  taxes: {},
  retrySignal: false,
};

/** Includes address and secret, which answers show only on request. */
export type EventDestination = ShownDestination & {
  webhook_endpoint: { url: string; signing_secret: string };
};

export interface CardRecord {
  behaviour: PaymentMethodBehaviour;
  chargeCount: number;
}

export interface Resumption {
  /** Paid, it ends the pause. */
  invoice: string;
  /** Whether a failed attempt ends it, too. */
  resumesOn: 'attempt' | 'success';
}

export interface PendingUpdate {
  invoice: string;
  fields: Pick<Subscription, 'items' | 'billing_cycle_anchor' | 'latest_invoice'>;
}

export interface PortalVisit {
  session: BillingPortalSession;
  /** Unix seconds of the last visit; null while unused. */
  lastUsedAt: number | null;
}

export function createWorld(
  clock: Clock,
  seed: number,
  accountName: string,
  policy: Partial<StripePolicy>,
  platform?: World,
): World {
  const ids = createObjectIds(seed);
  const records = createRecords();
  records.portalConfigurations.add(usualPortal(clock));
  records.methodConfigurations.add(
    buildMethodConfiguration(
      { id: 'pmc_sandbox_default', name: 'Default', is_default: true },
      CONFIGURABLE_TYPES,
    ),
  );
  const { webhookEndpoints, destinations, connectEndpoints } = platform ?? records;
  return {
    ...records,
    ...{ webhookEndpoints, destinations, connectEndpoints },
    clock,
    ids,
    policy: { ...USUAL_POLICY, ...policy },
    account: buildAccount(ids.next('acct'), accountName),
    atTestClock: new Map(),
    testClock: null,
    isConnected: platform !== undefined,
    eventListeners: [],
    cause: BY_ITSELF,
    isRevoked: false,
    baseUrl: platform?.baseUrl ?? '',
  };
}

function createRecords() {
  return {
    due: createDueQueue(),
    customers: createCollection<Customer>({}),
    paymentMethods: createCollection<PaymentMethod, 'customer'>({ customer: ({ customer }) => customer }),
    mandates: createCollection<Mandate, 'method'>({ method: (mandate) => mandate.payment_method }),
    products: createCollection<Product>({}),
    prices: createCollection<Price, 'product'>({ product: (price) => price.product }),
    /** Options by price id, then by currency: shown only when expanded. */
    currencyOptions: new Map<string, Record<string, CurrencyOption>>(),
    /** Tiers by currency option, also shown only when expanded. */
    tiers: new WeakMap<object, PriceTier[]>(),
    subscriptions: createCollection<Subscription, 'customer'>({ customer: ({ customer }) => customer }),
    schedules: createCollection<SubscriptionSchedule>({}),
    invoices: createCollection<Invoice, 'customer' | 'subscription'>({
      customer: ({ customer }) => customer,
      subscription: subscriptionOf,
    }),
    invoiceNumbers: { last: 0 },
    /** One that was taken into an invoice names it. */
    invoiceItems: createCollection<InvoiceItem, 'customer'>({ customer: ({ customer }) => customer }),
    /** Usage of metered subscription items since the last invoice. */
    usage: new Map<string, number>(),
    taxRates: createCollection<TaxRate>({}),
    invoicePayments: createCollection<InvoicePayment, 'invoice' | 'paymentIntent'>({
      invoice: ({ invoice }) => invoice,
      paymentIntent: ({ payment }) => payment.payment_intent ?? null,
    }),
    paymentIntents: createCollection<PaymentIntent, 'customer'>({ customer: ({ customer }) => customer }),
    charges: createCollection<Charge, 'customer' | 'paymentIntent'>({
      customer: ({ customer }) => customer,
      paymentIntent: ({ payment_intent: intent }) => intent,
    }),
    setupIntents: createCollection<SetupIntent>({}),
    creditNotes: createCollection<CreditNote>({}),
    disputes: createCollection<Dispute>({}),
    fraudWarnings: createCollection<FraudWarning>({}),
    refunds: createCollection<Refund>({}),
    events: createCollection<Event, 'type'>({ type: ({ type }) => type }),
    retryEvaluations: createCollection<RetryEvaluation>({}),
    webhookEndpoints: createCollection<WebhookEndpoint>({}),
    destinations: createCollection<EventDestination>({}),
    testClocks: createCollection<TestClock>({}),
    /** Ids of those that get the events of connected accounts, and no others. */
    connectEndpoints: new Set<string>(),
    portalConfigurations: createCollection<BillingPortalConfiguration>({}),
    methodConfigurations: createCollection<PaymentMethodConfiguration>({}),
    portalSessions: new Map<string, PortalVisit>(),
    /** Records by payment method id. */
    cards: new Map<string, CardRecord>(),
    /** What a customer can choose in the portal. */
    offeredCards: new Map<string, PaymentMethodBehaviour[]>(),
    /** Resumptions by the id of the paused subscription. */
    resumptions: new Map<string, Resumption>(),
    /** The subscription's change that takes effect once its invoice is paid. */
    pendingUpdates: new Map<string, PendingUpdate>(),
    /** Work that fell due during a subscription's pause, for its resumption. */
    whenResumed: new Map<string, () => void>(),
    deletedCustomers: new Set<string>(),
    /** The account's id by customer id, for customers that are accounts. */
    customerAccounts: new Map<string, string>(),
    /** Ids of events with a delivery that has failed and not succeeded since. */
    undelivered: new Set<string>(),
  };
}

/** The merchant has saved the portal's settings in the Dashboard. */
function usualPortal(clock: Clock): BillingPortalConfiguration {
  const portal = buildPortalConfiguration({
    id: 'bpc_sandbox_default',
    created: Math.floor(clock.now().toSeconds()),
    name: null,
    is_default: true,
    metadata: {},
  });
  portal.features.payment_method_update.enabled = true;
  return portal;
}

export function unixNow(world: World): number {
  return Math.floor(world.clock.now().toSeconds());
}

/** Null for an invoice that no subscription made. */
export function subscriptionOf(invoice: Invoice): string | null {
  return invoice.parent?.subscription_details?.subscription ?? null;
}
