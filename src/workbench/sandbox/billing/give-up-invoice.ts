import { refused } from '../api-error.ts';
import type { Invoice, Subscription } from '../objects/wire.ts';
import { publish, publishUpdated, snapshotOf } from '../publish-event.ts';
import { type StripePolicy, subscriptionOf, unixNow, type World } from '../sandbox-world.ts';
import {
  endSubscription,
  isOver,
  pause,
  refreshSubscriptionStatus,
  setStatus,
} from './subscription-status.ts';

type WriteOff = 'max_payment_attempts' | 'subscription_paused' | 'user_forgiven';

export function markUncollectible(
  world: World,
  invoice: Invoice,
  reason: WriteOff = 'user_forgiven',
): Invoice {
  if (invoice.status !== 'open') {
    throw refused(`You can only mark open invoices uncollectible; this one is ${invoice.status}.`);
  }
  const before = snapshotOf(invoice);
  invoice.status = 'uncollectible';
  invoice.auto_advance = false;
  invoice.next_payment_attempt = null;
  invoice.status_transitions.marked_uncollectible_at = unixNow(world);
  invoice.status_details = { uncollectible: { reason } };
  publish(world, 'invoice.marked_uncollectible', invoice);
  publishUpdated(world, 'invoice.updated', invoice, before);
  refreshSubscriptionStatus(world, invoice);
  return invoice;
}

/**
 * Applies the merchant's choice for the end of Stripe's schedule (stripe-facts 4.1) to the invoice, and to the subscription if
 * this is its latest one.
 */
export function endAfterLastRetry(world: World, invoice: Invoice): void {
  if (world.policy.lastRetryLeaves === 'uncollectible' && invoice.status === 'open')
    markUncollectible(world, invoice, 'max_payment_attempts');
  const subscription = world.subscriptions.get(subscriptionOf(invoice) ?? '');
  if (subscription === undefined || subscription.latest_invoice !== invoice.id) return;
  if (isOver(subscription) || subscription.status === 'paused') return;
  END[world.policy.afterLastRetry](world, subscription);
}

/** If the merchant chose that; the invoice goes on being collected (stripe-facts 2.1). */
export function pauseAfterFirstFailure(world: World, invoice: Invoice): void {
  const subscription = world.subscriptions.get(subscriptionOf(invoice) ?? '');
  const isRenewal = subscription?.status === 'past_due' && subscription.latest_invoice === invoice.id;
  if (isRenewal && world.policy.afterFirstFailure === 'pause')
    pause(world, subscription, 'first_payment_failure');
}

const END: Record<StripePolicy['afterLastRetry'], (world: World, subscription: Subscription) => void> = {
  past_due: () => undefined,
  cancel: (world, subscription) => endSubscription(world, subscription, 'payment_failed'),
  pause: (world, subscription) => pause(world, subscription, 'final_payment_failure'),
  unpaid: (world, subscription) => setStatus(world, subscription, 'unpaid'),
};
