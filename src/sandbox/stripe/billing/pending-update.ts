/** Changes of items that wait until their invoice is paid (stripe-facts 3.18). */
import { ApiError } from '../api-error.ts';
import { nulls } from '../objects/nulls.ts';
import type { Invoice, Subscription } from '../objects/wire.ts';
import { publishUpdated, snapshotOf } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { getPaymentIntent } from './charge-invoice.ts';
import { voidInvoice } from './invoice-lifecycle.ts';
import { bill } from './renew-subscription.ts';

const EXPIRES_AFTER_SECONDS = 23 * 3600;

/** The subscription stays as it is until then; `changed` is how it is to be. */
export function updateOncePaid(
  world: World,
  subscription: Subscription,
  changed: Subscription,
  invoice: Invoice,
): void {
  const before = snapshotOf(subscription);
  const expiresAt = unixNow(world) + EXPIRES_AFTER_SECONDS;
  const { items, billing_cycle_anchor } = changed;
  const fields = { items, billing_cycle_anchor, latest_invoice: invoice.id };
  world.pendingUpdates.set(subscription.id, { invoice: invoice.id, fields });
  bill(world, subscription, invoice);
  if (invoice.status !== 'open') return;
  subscription.pending_update = {
    ...nulls(
      'billing_cycle_anchor cancel_at_period_end discount discounts metadata trial_end trial_from_plan',
    ),
    expires_at: expiresAt,
    subscription_items: changed.items.data,
  };
  subscription.latest_invoice = invoice.id;
  publishUpdated(world, 'customer.subscription.updated', subscription, before);
  world.due.add({
    atMs: expiresAt * 1000,
    isCurrent: () => invoice.status === 'open' && subscription.pending_update?.expires_at === expiresAt,
    run: () => voidInvoice(world, invoice),
  });
}

/** `error_if_incomplete`: what cannot be paid at once is not changed at all. */
export function refuseUnpaidUpdate(world: World, invoice: Invoice): void {
  if (invoice.status !== 'open') return;
  const { last_payment_error: reason } = getPaymentIntent(world, invoice);
  voidInvoice(world, invoice);
  const { code, decline_code, message = 'The payment of the update failed.' } = reason ?? {};
  throw new ApiError(
    402,
    { type: 'card_error', message, ...(code && { code }), ...(decline_code && { decline_code }) },
    { isStored: true },
  );
}
