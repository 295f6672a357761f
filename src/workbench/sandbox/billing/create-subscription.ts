import { Duration } from 'luxon';
import { z } from 'zod';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import { invalidParameter, refused } from '../api-error.ts';
import { collectionMethod, flag, formBoolean, integer, metadata, text } from '../form-parameters.ts';
import { buildSubscription, buildSubscriptionItem } from '../objects/build-subscription.ts';
import type { Price, Subscription, SubscriptionItem } from '../objects/wire.ts';
import { publish, update } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { findTax } from './automatic-tax.ts';
import { billingPeriodAt } from './billing-period.ts';
import { collectAutomatically } from './collect-invoice.ts';
import { draftInvoice } from './draft-invoice.ts';
import { finalizeInvoice, voidInvoice } from './invoice-lifecycle.ts';
import { findTaxRates } from './one-off-invoice.ts';
import { billInAnHour } from './renew-subscription.ts';
import { scheduleSubscription, scheduleTrialNotice } from './subscription-schedule.ts';

/** Times in unix seconds. */
export const subscriptionParameters = z.strictObject({
  customer: z.string(),
  /** The first price's own by default. */
  currency: text,
  items: z.array(z.strictObject({ price: z.string(), quantity: integer, metadata })).min(1),
  trial_end: integer,
  trial_period_days: integer,
  trial_settings: z
    .strictObject({ end_behavior: z.strictObject({ missing_payment_method: z.string() }) })
    .optional(),
  billing_cycle_anchor: integer,
  backdate_start_date: integer,
  collection_method: collectionMethod,
  days_until_due: integer,
  default_payment_method: text,
  /** `default_incomplete` leaves the first payment to the customer; otherwise it is attempted immediately. */
  payment_behavior: z.enum(['allow_incomplete', 'default_incomplete', 'error_if_incomplete']).optional(),
  proration_behavior: z.literal('none').optional(),
  off_session: flag,
  default_tax_rates: z.array(z.string()).optional(),
  automatic_tax: z.strictObject({ enabled: formBoolean }).optional(),
  on_behalf_of: text,
  cancel_at: integer,
  cancel_at_period_end: flag,
  description: text,
  metadata,
});

/** Stripe's own parameter names. */
export type SubscriptionInput = z.output<typeof subscriptionParameters>;
type SubscriptionItemInput = SubscriptionInput['items'][number];

/** A first payment that never comes ends the subscription after this time (stripe-facts 2.1). */
const INCOMPLETE_EXPIRES_AFTER = Duration.fromObject({ hours: 23 });

/** Creates the subscription and bills the first period immediately: active when paid, else incomplete. */
export function createSubscription(world: World, input: SubscriptionInput): Subscription {
  if (input.automatic_tax?.enabled && findTax(world, input.customer) === undefined)
    throw refused("The customer's location isn't recognized.", { code: 'customer_tax_location_invalid' });
  const subscription = addSubscription(world, input);
  const isTrial = subscription.status === 'trialing';
  if (!isTrial) subscription.status = isAutomatic(subscription) ? 'incomplete' : 'active';
  const invoice = draftInvoice(world, subscription, {
    billingReason: 'subscription_create',
    autoAdvance: true,
    isFree: isTrial || input.proration_behavior === 'none',
  });
  subscription.latest_invoice = invoice.id;
  publish(world, 'customer.subscription.created', subscription);
  if (!isAutomatic(subscription) && !isTrial) billInAnHour(world, subscription, invoice);
  else finalizeInvoice(world, invoice);
  const isAttempted = input.payment_behavior !== 'default_incomplete';
  if (invoice.status === 'open' && isAutomatic(subscription) && isAttempted)
    collectAutomatically(world, invoice);
  if (subscription.status === 'incomplete' && input.payment_behavior === 'error_if_incomplete') {
    world.subscriptions.remove(subscription.id);
    throw refused('The first payment failed.', { code: 'card_declined' });
  }
  if (subscription.status === 'incomplete') scheduleExpiry(world, subscription);
  scheduleSubscription(world, subscription);
  scheduleTrialNotice(world, subscription);
  return subscription;
}

/**
 * A subscription in the middle of its life: active, no invoices, no events. Cheap, for accounts with very many subscriptions,
 * and for an account older than the plugin.
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
  const subscription = buildSubscription(
    {
      id,
      created,
      customer: input.customer,
      currency,
      start_date: start,
      billing_cycle_anchor: anchor,
      automatic_tax: {
        disabled_reason: null,
        enabled: input.automatic_tax?.enabled ?? false,
        liability: null,
      },
      cancel_at: input.cancel_at ?? null,
      cancel_at_period_end: input.cancel_at_period_end ?? false,
      collection_method: input.collection_method ?? 'charge_automatically',
      days_until_due: input.days_until_due ?? null,
      default_payment_method: input.default_payment_method ?? null,
      default_tax_rates: findTaxRates(world, input.default_tax_rates),
      description: input.description ?? null,
      metadata: input.metadata ?? {},
      on_behalf_of: input.on_behalf_of ?? null,
      status: trialEnd === null ? 'active' : 'trialing',
      test_clock: world.testClock,
      trial_end: trialEnd,
      trial_settings: {
        end_behavior: {
          billing_cycle_anchor: null,
          missing_payment_method:
            input.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice',
        },
      },
      trial_start: trialEnd === null ? null : created,
    },
    items,
  );
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
    current_period_end: period.end,
    current_period_start: period.start,
    metadata: input.metadata ?? {},
    price,
    // A metered item has no quantity (stripe-facts 2.3).
    ...(isMetered ? {} : { quantity: input.quantity ?? 1 }),
    subscription: subscription.id,
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
  return Math.floor(fromUnixSeconds(created).plus({ days: input.trial_period_days }).toSeconds());
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
  update(world, 'customer.subscription.updated', subscription, {
    status: 'incomplete_expired',
    ended_at: unixNow(world),
  });
  const invoice = world.invoices.get(subscription.latest_invoice ?? '');
  if (invoice?.status === 'open') voidInvoice(world, invoice);
}
