import type { Invoice, Subscription } from '../objects/wire.ts';
import { publish, publishUpdated, snapshotOf } from '../publish-event.ts';
import { subscriptionOf, unixNow, type World } from '../sandbox-world.ts';

const TERMINAL: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);

/** Brings the subscription into line with its invoices and publishes the change (stripe-facts 2.1). */
export function refreshSubscriptionStatus(world: World, invoice: Invoice): void {
  const subscription = world.subscriptions.get(subscriptionOf(invoice) ?? '');
  if (subscription === undefined || TERMINAL.has(subscription.status)) return;
  const before = snapshotOf(subscription);
  subscription.status = statusFromInvoices(world, subscription);
  publishUpdated(world, 'customer.subscription.updated', subscription, before);
}

export function isOver(subscription: Subscription): boolean {
  return TERMINAL.has(subscription.status);
}

/** What the merchant chose for the end of Stripe's schedule. The final action looks at the latest invoice only. */
export function endAfterLastRetry(world: World, invoice: Invoice): void {
  const subscription = world.subscriptions.get(subscriptionOf(invoice) ?? '');
  if (subscription === undefined || isOver(subscription) || subscription.latest_invoice !== invoice.id)
    return;
  const policy = world.policy.afterLastRetry;
  if (policy === 'past_due') return;
  if (policy === 'cancel') {
    endSubscription(world, subscription, 'payment_failed');
    return;
  }
  const before = snapshotOf(subscription);
  subscription.status = 'unpaid';
  publishUpdated(world, 'customer.subscription.updated', subscription, before);
}

/** Ends it now. Open and draft invoices are no longer collected by Stripe, but can be paid by hand. */
export function endSubscription(world: World, subscription: Subscription, reason: string): void {
  const now = unixNow(world);
  subscription.status = 'canceled';
  subscription.canceled_at ??= now;
  subscription.ended_at = now;
  if (subscription.cancellation_details !== null) subscription.cancellation_details.reason = reason;
  publish(world, 'customer.subscription.deleted', subscription);
  for (const invoice of world.invoices.newestFirst({ index: 'subscription', key: subscription.id })) {
    if (invoice.status !== 'open' && invoice.status !== 'draft') continue;
    const before = snapshotOf(invoice);
    invoice.auto_advance = false;
    invoice.next_payment_attempt = null;
    publishUpdated(world, 'invoice.updated', invoice, before);
  }
}

/**
 * The most recent finalised invoice that is not void decides; an uncollectible one counts as paid. An `unpaid` subscription
 * waits for the draft that it billed last (stripe-facts 2.1).
 */
function statusFromInvoices(world: World, subscription: Subscription): string {
  const inGoodStanding =
    subscription.trial_end !== null && subscription.trial_end > unixNow(world) ? 'trialing' : 'active';
  if (subscription.status === 'paused') return 'paused';
  for (const invoice of world.invoices.newestFirst({ index: 'subscription', key: subscription.id })) {
    if (invoice.status === 'void') continue;
    if (invoice.status === 'draft') {
      if (subscription.status === 'unpaid') return 'unpaid';
      continue;
    }
    if (invoice.status !== 'open' || !invoice.attempted) return inGoodStanding;
    if (isProcessing(world, invoice)) return inGoodStanding;
    const keepsStatus = subscription.status === 'incomplete' || subscription.status === 'unpaid';
    return keepsStatus ? subscription.status : 'past_due';
  }
  return inGoodStanding;
}

function isProcessing(world: World, invoice: Invoice): boolean {
  for (const payment of world.invoicePayments.newestFirst({ index: 'invoice', key: invoice.id })) {
    if (world.paymentIntents.get(payment.payment.payment_intent ?? '')?.status === 'processing') return true;
  }
  return false;
}
