import { Duration } from 'luxon';
import { fromUnixSeconds } from '../../../kit/clock.ts';
import { invalidParameter, refused } from '../api-error.ts';
import { buildSubscription, buildSubscriptionItem } from '../objects/build-subscription.ts';
import type { Price, Subscription, SubscriptionItem } from '../objects/wire.ts';
import { publish, publishUpdated, snapshotOf } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { findTax } from './automatic-tax.ts';
import { billingPeriodAt } from './billing-period.ts';
import { collectAutomatically } from './collect-invoice.ts';
import { draftInvoice } from './draft-invoice.ts';
import { finalizeInvoice, voidInvoice } from './invoice-lifecycle.ts';
import { findTaxRates } from './one-off-invoice.ts';
import { billInAnHour } from './renew-subscription.ts';
import { scheduleSubscription, scheduleTrialNotice } from './subscription-schedule.ts';

/** Stripe's own parameter names; times in unix seconds. */
export interface SubscriptionInput {
  customer: string;
  items: SubscriptionItemInput[];
  /** Without it the first price's own. */
  currency?: string | undefined;
  trial_end?: number | undefined;
  trial_period_days?: number | undefined;
  trial_settings?: { end_behavior: { missing_payment_method: string } } | undefined;
  billing_cycle_anchor?: number | undefined;
  backdate_start_date?: number | undefined;
  collection_method?: 'charge_automatically' | 'send_invoice' | undefined;
  days_until_due?: number | undefined;
  default_payment_method?: string | undefined;
  /** `default_incomplete` leaves the first payment to the customer; else it is attempted at once. */
  payment_behavior?: 'allow_incomplete' | 'default_incomplete' | undefined;
  default_tax_rates?: string[] | undefined;
  automatic_tax?: { enabled: boolean } | undefined;
  on_behalf_of?: string | undefined;
  cancel_at?: number | undefined;
  cancel_at_period_end?: boolean | undefined;
  description?: string | undefined;
  metadata?: Record<string, string> | undefined;
}

export interface SubscriptionItemInput {
  price: string;
  quantity?: number | undefined;
  metadata?: Record<string, string> | undefined;
}

/** A first payment that never comes ends the subscription after this time (stripe-facts 2.1). */
const INCOMPLETE_EXPIRES_AFTER = Duration.fromObject({ hours: 23 });

/** Creates it and bills the first period at once: active when that is paid, else incomplete. */
export function createSubscription(world: World, input: SubscriptionInput): Subscription {
  if (input.automatic_tax?.enabled && findTax(world, input.customer) === undefined)
    throw refused("The customer's location isn't recognized.", { code: 'customer_tax_location_invalid' });
  const subscription = addSubscription(world, input);
  const isTrial = subscription.status === 'trialing';
  if (!isTrial) subscription.status = isAutomatic(subscription) ? 'incomplete' : 'active';
  const invoice = draftInvoice(world, subscription, {
    billingReason: 'subscription_create',
    autoAdvance: true,
    isFree: isTrial,
  });
  subscription.latest_invoice = invoice.id;
  publish(world, 'customer.subscription.created', subscription);
  const isSentLater = !isAutomatic(subscription) && !isTrial;
  if (isSentLater) billInAnHour(world, subscription, invoice);
  else finalizeInvoice(world, invoice);
  const isAttempted = input.payment_behavior !== 'default_incomplete';
  if (invoice.status === 'open' && isAutomatic(subscription) && isAttempted)
    collectAutomatically(world, invoice);
  if (subscription.status === 'incomplete') scheduleExpiry(world, subscription);
  scheduleSubscription(world, subscription);
  scheduleTrialNotice(world, subscription);
  return subscription;
}

/**
 * A subscription as it stands in the middle of its life: active, no invoices, no events. Cheap, for accounts with
 * very many subscriptions, and for an account that is older than the plugin.
 */
export function importSubscription(world: World, input: SubscriptionInput): Subscription {
  const subscription = addSubscription(world, input);
  scheduleSubscription(world, subscription);
  return subscription;
}

function addSubscription(world: World, input: SubscriptionInput): Subscription {
  const created = unixNow(world);
  const id = world.ids.next('sub');
  const trialEnd = trialEndOf(input, created);
  const start = input.backdate_start_date ?? created;
  const anchor = trialEnd ?? input.billing_cycle_anchor ?? start;
  const currency = input.currency ?? world.prices.get(input.items[0]?.price ?? '')?.currency ?? 'usd';
  const items = input.items.map((item) => buildItem(world, { id, currency }, item, { created, anchor }));
  const subscription = buildSubscription({
    id,
    created,
    customer: input.customer,
    currency,
    startDate: start,
    billingCycleAnchor: anchor,
    status: trialEnd === null ? 'active' : 'trialing',
    items,
    trialStart: trialEnd === null ? null : created,
    trialEnd,
    trialEndBehavior: input.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice',
    collectionMethod: input.collection_method ?? 'charge_automatically',
    daysUntilDue: input.days_until_due ?? null,
    defaultPaymentMethod: input.default_payment_method ?? null,
    cancelAt: input.cancel_at ?? null,
    cancelAtPeriodEnd: input.cancel_at_period_end ?? false,
    description: input.description ?? null,
    metadata: input.metadata ?? {},
  });
  subscription.on_behalf_of = input.on_behalf_of ?? null;
  subscription.default_tax_rates = findTaxRates(world, input.default_tax_rates);
  subscription.automatic_tax.enabled = input.automatic_tax?.enabled ?? false;
  subscription.test_clock = world.testClock;
  return world.subscriptions.add(subscription);
}

export function buildItem(
  world: World,
  subscription: Pick<Subscription, 'id' | 'currency'>,
  input: SubscriptionItemInput,
  times: { created: number; anchor: number },
): SubscriptionItem {
  const price = findPrice(world, input.price, subscription.currency);
  const isMetered = price.recurring?.usage_type === 'metered';
  // A backdated subscription is in the period that holds the present.
  const period = billingPeriodAt(times.created, times.anchor, price.recurring);
  return buildSubscriptionItem({
    id: world.ids.next('si'),
    created: times.created,
    subscription: subscription.id,
    price,
    quantity: isMetered ? undefined : (input.quantity ?? 1),
    periodStart: period.start,
    periodEnd: period.end,
    metadata: input.metadata,
  });
}

function findPrice(world: World, id: string, currency: string): Price {
  const price = world.prices.get(id);
  if (price === undefined) {
    throw invalidParameter(`No such price: '${id}'`, { code: 'resource_missing', param: 'items[0][price]' });
  }
  const supported = Object.keys(world.currencyOptions.get(id) ?? {});
  if (!supported.includes(currency)) {
    throw invalidParameter(
      `The price specified supports currencies of \`${supported.join('`, `')}\`. This doesn't match the expected currency: \`${currency}\`.`,
      { param: 'items[0][price]' },
    );
  }
  return price;
}

function trialEndOf(input: SubscriptionInput, created: number): number | null {
  if (input.trial_end !== undefined) return input.trial_end;
  if (input.trial_period_days === undefined) return null;
  const length = Duration.fromObject({ days: input.trial_period_days });
  return Math.floor(fromUnixSeconds(created).plus(length).toSeconds());
}

function isAutomatic(subscription: Subscription): boolean {
  return subscription.collection_method === 'charge_automatically';
}

function scheduleExpiry(world: World, subscription: Subscription): void {
  world.due.add({
    atMs: fromUnixSeconds(subscription.created).plus(INCOMPLETE_EXPIRES_AFTER).toMillis(),
    isCurrent: () => subscription.status === 'incomplete',
    run: () => expire(world, subscription),
  });
}

function expire(world: World, subscription: Subscription): void {
  const before = snapshotOf(subscription);
  subscription.status = 'incomplete_expired';
  subscription.ended_at = unixNow(world);
  publishUpdated(world, 'customer.subscription.updated', subscription, before);
  const invoice = world.invoices.get(subscription.latest_invoice ?? '');
  if (invoice?.status === 'open') voidInvoice(world, invoice);
}
