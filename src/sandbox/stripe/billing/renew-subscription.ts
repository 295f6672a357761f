import { refused } from '../api-error.ts';
import type { Invoice, Subscription } from '../objects/wire.ts';
import { publish, publishUpdated, snapshotOf } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { billingPeriodAt } from './billing-period.ts';
import { collectAutomatically } from './collect-invoice.ts';
import { draftInvoice, finalizeInvoice, markUncollectible, voidInvoice } from './invoice-lifecycle.ts';
import { endSubscription, isOver } from './subscription-status.ts';

/**
 * Starts the next period and bills it at once (Stripe keeps the draft for an hour; nothing here depends on it).
 * Undefined when the subscription ended or paused instead.
 */
export function renewSubscription(world: World, subscription: Subscription): Invoice | undefined {
  if (isOver(subscription)) throw refused(`Subscription ${subscription.id} is over and has no next period.`);
  if (subscription.cancel_at_period_end) {
    endSubscription(world, subscription, 'cancellation_requested');
    return undefined;
  }
  if (endsWithTrial(world, subscription)) return undefined;
  const before = snapshotOf(subscription);
  advancePeriods(subscription);
  if (subscription.status === 'trialing') subscription.status = 'active';
  const invoice = draftInvoice(world, subscription, {
    billingReason: 'subscription_cycle',
    autoAdvance: !isHeldBack(subscription),
    isFree: false,
  });
  subscription.latest_invoice = invoice.id;
  publishUpdated(world, 'customer.subscription.updated', subscription, before);
  bill(world, subscription, invoice);
  return invoice;
}

/** The next renewal: items can differ in period (stripe-facts 2.2). */
export function nextRenewal(subscription: Subscription): number {
  return Math.min(...subscription.items.data.map((item) => item.current_period_end));
}

/** Leaves a pause; the new period starts now (stripe-facts 2.1, status `paused`). */
export function resumeSubscription(world: World, subscription: Subscription): Subscription {
  if (subscription.status !== 'paused') throw refused('Only a paused subscription can be resumed.');
  const before = snapshotOf(subscription);
  subscription.status = 'active';
  delete subscription.status_details;
  subscription.billing_cycle_anchor = unixNow(world);
  for (const item of subscription.items.data) {
    item.current_period_start = subscription.billing_cycle_anchor;
    item.current_period_end = subscription.billing_cycle_anchor;
  }
  publish(world, 'customer.subscription.resumed', subscription);
  publishUpdated(world, 'customer.subscription.updated', subscription, before);
  renewSubscription(world, subscription);
  return subscription;
}

function advancePeriods(subscription: Subscription): void {
  const renewal = nextRenewal(subscription);
  for (const item of subscription.items.data) {
    if (item.current_period_end > renewal) continue;
    const start = item.current_period_end;
    const { end } = billingPeriodAt(start, subscription.billing_cycle_anchor, item.price.recurring);
    item.current_period_start = start;
    item.current_period_end = end;
  }
}

/** Invoices of an unpaid subscription, and those kept back by a pause, stay drafts (stripe-facts 2.1). */
function isHeldBack(subscription: Subscription): boolean {
  return subscription.status === 'unpaid' || subscription.pause_collection?.behavior === 'keep_as_draft';
}

function bill(world: World, subscription: Subscription, invoice: Invoice): void {
  if (isHeldBack(subscription)) return;
  finalizeInvoice(world, invoice);
  if (invoice.status !== 'open') return;
  const paused = subscription.pause_collection?.behavior;
  if (paused === 'void') voidInvoice(world, invoice);
  else if (paused === 'mark_uncollectible') markUncollectible(world, invoice, 'subscription_paused');
  else if (subscription.collection_method === 'charge_automatically') collectAutomatically(world, invoice);
}

/** A trial that ends without a payment method follows `trial_settings.end_behavior`. */
function endsWithTrial(world: World, subscription: Subscription): boolean {
  if (subscription.status !== 'trialing') return false;
  const customer = world.customers.get(subscription.customer);
  const method = subscription.default_payment_method ?? customer?.invoice_settings.default_payment_method;
  if (method !== null && method !== undefined) return false;
  const behaviour = subscription.trial_settings?.end_behavior.missing_payment_method;
  if (behaviour === 'cancel') endSubscription(world, subscription, 'payment_failed');
  if (behaviour === 'pause') pauseAfterTrial(world, subscription);
  return behaviour === 'cancel' || behaviour === 'pause';
}

function pauseAfterTrial(world: World, subscription: Subscription): void {
  const before = snapshotOf(subscription);
  subscription.status = 'paused';
  publish(world, 'customer.subscription.paused', subscription);
  publishUpdated(world, 'customer.subscription.updated', subscription, before);
}
