import { refused } from '../api-error.ts';
import type { Invoice, Subscription } from '../objects/wire.ts';
import { publishUpdated, snapshotOf } from '../publish-event.ts';
import type { World } from '../sandbox-world.ts';
import { billingPeriodAt } from './billing-period.ts';
import { findSubscriptionMethod } from './charge-invoice.ts';
import { collectAutomatically } from './collect-invoice.ts';
import { draftInvoice } from './draft-invoice.ts';
import { markUncollectible } from './give-up-invoice.ts';
import { pendingItems } from './invoice-items.ts';
import { finalizeInvoice, voidInvoice } from './invoice-lifecycle.ts';
import { scheduleFinalization } from './one-off-invoice.ts';
import { billEarlierEnd } from './prorations.ts';
import { endSubscription, isOver, pause } from './subscription-status.ts';

/** Starts the next period, with the draft of its invoice. Undefined when the subscription ended or paused instead. */
export function renewSubscription(world: World, subscription: Subscription): Invoice | undefined {
  if (isOver(subscription)) throw refused(`Subscription ${subscription.id} is over and has no next period.`);
  if (subscription.cancel_at_period_end) {
    endWithPeriod(world, subscription);
    return undefined;
  }
  if (endsWithTrial(world, subscription)) return undefined;
  const before = snapshotOf(subscription);
  advancePeriods(subscription);
  if (subscription.status === 'trialing') subscription.status = 'active';
  // A subscription that ends within the beginning period is billed until then.
  billEarlierEnd(world, subscription, { cancel_at: null });
  const invoice = draftInvoice(world, subscription, {
    billingReason: 'subscription_cycle',
    autoAdvance: !isHeldBack(subscription),
  });
  subscription.latest_invoice = invoice.id;
  publishUpdated(world, 'customer.subscription.updated', subscription, before);
  return invoice;
}

/** The usage of its last period is billed, and collected although it is over (stripe-facts 3.13). */
export function endWithPeriod(world: World, subscription: Subscription): void {
  endSubscription(world, subscription, 'cancellation_requested');
  billRest(world, subscription, 'subscription_cycle');
}

/** Bills the open rest of an ended subscription, mostly nothing. */
export function billRest(world: World, subscription: Subscription, billingReason: string): void {
  const isUsed = subscription.items.data.some(({ id }) => (world.usage.get(id) ?? 0) > 0);
  if (!isUsed && pendingItems(world, subscription.customer, subscription.id).length === 0) return;
  const invoice = draftInvoice(world, subscription, { billingReason, autoAdvance: true, only: 'rest' });
  subscription.latest_invoice = invoice.id;
  bill(world, subscription, invoice);
}

/** The next renewal: items can differ in period (stripe-facts 2.2). */
export function nextRenewal(subscription: Subscription): number {
  return Math.min(...subscription.items.data.map((item) => item.current_period_end));
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

/** A pause voids or writes off the invoice immediately; otherwise it is a draft for an hour (stripe-facts 1.6). */
export function billInAnHour(world: World, subscription: Subscription, invoice: Invoice): void {
  if (subscription.pause_collection !== null) bill(world, subscription, invoice);
  else if (invoice.auto_advance)
    scheduleFinalization(world, invoice, () => bill(world, subscription, invoice));
}

export function bill(world: World, subscription: Subscription, invoice: Invoice): void {
  if (isHeldBack(subscription)) return;
  finalizeInvoice(world, invoice);
  if (invoice.status !== 'open') return;
  const paused = subscription.pause_collection?.behavior;
  if (paused === 'void') voidInvoice(world, invoice);
  else if (paused === 'mark_uncollectible') markUncollectible(world, invoice, 'subscription_paused');
  else if (subscription.collection_method === 'charge_automatically') collectAutomatically(world, invoice);
}

/** A trial that ends without a payment method follows `trial_settings.end_behavior` (stripe-facts 2.9). */
function endsWithTrial(world: World, subscription: Subscription): boolean {
  if (subscription.status !== 'trialing' || findSubscriptionMethod(world, subscription)) return false;
  const behaviour = subscription.trial_settings?.end_behavior.missing_payment_method;
  if (behaviour === 'cancel') endSubscription(world, subscription, 'payment_failed');
  if (behaviour === 'pause') pause(world, subscription, 'trial_end_without_payment_method');
  return behaviour === 'cancel' || behaviour === 'pause';
}
