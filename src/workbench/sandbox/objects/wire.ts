import type Stripe from 'stripe';

/**
 * An API resource as it travels: decimals are strings, references are ids (expansion happens in the answer, not
 * in the state), and there is no `lastResponse`. The state is typed with this, so the compiler holds every object
 * the sandbox builds to the SDK's pinned API version.
 */
export type OnTheWire<T> = T extends Stripe.Decimal
  ? string
  : T extends string | number | boolean | bigint | null | undefined
    ? T
    : T extends readonly (infer Item)[]
      ? OnTheWire<Unexpanded<Item>>[]
      : { [Key in keyof T as Exclude<Key, 'lastResponse'>]: OnTheWire<Unexpanded<T[Key]>> };

/** Where the SDK allows "id or object", only the id remains. */
type Unexpanded<T> = string extends T ? Exclude<T, { object: string }> : T;

export type Account = OnTheWire<Stripe.Account>;
export type Address = OnTheWire<Stripe.Address>;
export type BankAccount = OnTheWire<Stripe.BankAccount>;
export type BillingPortalConfiguration = OnTheWire<Stripe.BillingPortal.Configuration>;
export type BillingPortalSession = OnTheWire<Stripe.BillingPortal.Session>;
export type Charge = OnTheWire<Stripe.Charge>;
export type CreditNote = OnTheWire<Stripe.CreditNote>;
export type CurrencyOption = OnTheWire<Stripe.Price.CurrencyOptions>;
export type Customer = OnTheWire<Stripe.Customer>;
export type DeletedCustomer = OnTheWire<Stripe.DeletedCustomer>;
export type Dispute = OnTheWire<Stripe.Dispute>;
export type EventDestination = OnTheWire<Stripe.V2.Core.EventDestination>;
export type FraudWarning = OnTheWire<Stripe.Radar.EarlyFraudWarning>;
export type Invoice = OnTheWire<Stripe.Invoice>;
export type InvoiceItem = OnTheWire<Stripe.InvoiceItem>;
export type InvoiceLineItem = OnTheWire<Stripe.InvoiceLineItem>;
export type InvoicePayment = OnTheWire<Stripe.InvoicePayment>;
export type Mandate = OnTheWire<Stripe.Mandate>;
export type PaymentAttemptRecord = OnTheWire<Stripe.PaymentAttemptRecord>;
export type PaymentIntent = OnTheWire<Stripe.PaymentIntent>;
export type PaymentMethod = OnTheWire<Stripe.PaymentMethod>;
export type PaymentMethodConfiguration = OnTheWire<Stripe.PaymentMethodConfiguration>;
export type Plan = OnTheWire<Stripe.Plan>;
export type Price = OnTheWire<Stripe.Price>;
export type PriceTier = OnTheWire<Stripe.Price.Tier>;
export type Product = OnTheWire<Stripe.Product>;
export type Refund = OnTheWire<Stripe.Refund>;
export type SetupIntent = OnTheWire<Stripe.SetupIntent>;
export type Subscription = OnTheWire<Stripe.Subscription>;
export type SubscriptionSchedule = OnTheWire<Stripe.SubscriptionSchedule>;
export type SubscriptionItem = OnTheWire<Stripe.SubscriptionItem>;
export type TaxRate = OnTheWire<Stripe.TaxRate>;
export type TestClock = OnTheWire<Stripe.TestHelpers.TestClock>;
export type WebhookEndpoint = OnTheWire<Stripe.WebhookEndpoint>;

/** An evaluation of Smart Retries Signal, which the library does not declare. */
export interface RetryEvaluation {
  id: string;
  object: 'v2.signals.payment_retry_evaluation';
  created: string;
  livemode: boolean;
  payment_intent: string;
  status: 'monitoring' | 'completed' | 'expired' | 'canceled';
  canceled_at?: string;
  cancellation_reason?: string;
  latest_signal: RetrySignal | null;
}

export interface RetrySignal {
  id: string;
  object: 'v2.signals.payment_retry_signal';
  created: string;
  evaluation: string;
  livemode: boolean;
  payment_intent: string;
  /** `retry_now`, `wait` or `give_up`, with a sentence. */
  recommendation: { action: string; reason: string };
}

export type EventType = Stripe.Event.Type;
export type NativeEventType = `v2.${string}`;
export type Event = OnTheWire<Omit<Stripe.EventBase, 'data' | 'type'>> & {
  /** Includes events of API v2, kept for their thin form. */
  type: EventType | NativeEventType;
  data: { object: EventObject; previous_attributes?: Record<string, unknown> };
};
/** What every object in the state has. */
export interface EventObject {
  object: string;
}
/** The object that an event of this type carries. */
export type ObjectOf<Type extends EventType> = EventObjects[Type];
interface EventObjects extends EventObjectMap {}
type EventObjectMap = {
  [Type in EventType]: OnTheWire<Extract<Stripe.Event, { type: Type }>['data']['object']>;
};

export interface List<T> {
  object: 'list';
  data: T[];
  has_more: boolean;
  url: string;
}

export function listOf<T>(url: string, data: T[], hasMore = false): List<T> {
  return { object: 'list', data, has_more: hasMore, url };
}
