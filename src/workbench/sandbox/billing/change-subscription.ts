import { z } from 'zod';
import { ApiError, invalidParameter, refused } from '../api-error.ts';
import {
  clearable,
  collectionMethod,
  flag,
  formBoolean,
  formInteger,
  given,
  integer,
  metadata,
  text,
} from '../form-parameters.ts';
import { nulls } from '../objects/nulls.ts';
import type { Invoice, Subscription, SubscriptionItem } from '../objects/wire.ts';
import { publishUpdated, snapshotOf } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { getPaymentIntent } from './charge-invoice.ts';
import { buildItem } from './create-subscription.ts';
import { finalizeInvoice, voidInvoice } from './invoice-lifecycle.ts';
import { findTaxRates } from './one-off-invoice.ts';
import { billEarlierEnd, billItemChange, creditUnusedTime } from './prorations.ts';
import { bill, billRest, nextRenewal } from './renew-subscription.ts';
import { scheduleCollectionResume, scheduleSubscription } from './subscription-schedule.ts';
import { endSubscription, isOver, refreshSubscriptionStatus } from './subscription-status.ts';

export const subscriptionChanges = z.strictObject({
  items: z.array(z.strictObject({ id: text, price: text, quantity: integer, deleted: flag })).optional(),
  default_payment_method: clearable(z.string()).optional(),
  default_source: clearable(z.string()).optional(),
  /** How changed items are billed; `create_prorations` by default. */
  proration_behavior: z.enum(['create_prorations', 'always_invoice', 'none']).optional(),
  /** The fate of the change when its immediate invoice is not paid; `allow_incomplete` by default. */
  payment_behavior: z
    .enum(['allow_incomplete', 'default_incomplete', 'error_if_incomplete', 'pending_if_incomplete'])
    .optional(),
  default_tax_rates: z.array(z.string()).optional(),
  automatic_tax: z.strictObject({ enabled: formBoolean }).optional(),
  on_behalf_of: clearable(z.string()).optional(),
  cancel_at: clearable(z.union([z.enum(['min_period_end', 'max_period_end']), formInteger])).optional(),
  cancel_at_period_end: flag,
  pause_collection: clearable(
    z.strictObject({
      behavior: z.enum(['keep_as_draft', 'mark_uncollectible', 'void']),
      resumes_at: integer,
    }),
  ).optional(),
  collection_method: collectionMethod,
  days_until_due: integer,
  trial_end: z.union([z.literal('now'), formInteger]).optional(),
  description: text,
  metadata,
});

/** Stripe's own parameter names. Null clears a field. */
export type SubscriptionChanges = z.output<typeof subscriptionChanges>;
type ItemChange = NonNullable<SubscriptionChanges['items']>[number];

export function changeSubscription(
  world: World,
  subscription: Subscription,
  changes: SubscriptionChanges,
): Subscription {
  if (isOver(subscription))
    throw refused('A canceled subscription can only update its cancellation_details and metadata.');
  if (subscription.status === 'incomplete') assertAllowedWhileIncomplete(changes);
  const { payment_behavior: payment = '', proration_behavior: behavior = 'create_prorations' } = changes;
  if (WAITS.has(payment) && changes.items && behavior === 'always_invoice')
    return changeOncePaid(world, subscription, changes);
  const before = snapshotOf(subscription);
  for (const apply of CHANGES) apply(world, subscription, changes);
  const isMoved = behavior !== 'none' && billEarlierEnd(world, subscription, before);
  const invoice =
    changes.items || isMoved ? billItemChange(world, subscription, before, behavior) : undefined;
  publishUpdated(world, 'customer.subscription.updated', subscription, before);
  if (invoice !== undefined && payment === 'default_incomplete') leaveToCustomer(world, invoice);
  else if (invoice !== undefined) bill(world, subscription, invoice);
  scheduleSubscription(world, subscription);
  scheduleCollectionResume(world, subscription);
  return subscription;
}

const WAITS: ReadonlySet<string> = new Set(['error_if_incomplete', 'pending_if_incomplete']);

function changeOncePaid(
  world: World,
  subscription: Subscription,
  changes: SubscriptionChanges,
): Subscription {
  const changed = snapshotOf(subscription);
  changeItems(world, changed, changes);
  const invoice = billItemChange(world, changed, subscription, 'always_invoice');
  if (invoice === undefined) return subscription;
  updateOncePaid(world, subscription, changed, invoice);
  if (changes.payment_behavior === 'error_if_incomplete') refuseUnpaidUpdate(world, invoice);
  return subscription;
}

/** Nothing is attempted. */
function leaveToCustomer(world: World, invoice: Invoice): void {
  finalizeInvoice(world, invoice);
  refreshSubscriptionStatus(world, invoice);
}

function assertAllowedWhileIncomplete({
  metadata: _,
  default_source: __,
  ...others
}: SubscriptionChanges): void {
  if (Object.values(others).some((value) => value !== undefined))
    throw refused('An incomplete subscription can only update its metadata and default_source.');
}

export interface CancelOptions {
  atPeriodEnd?: boolean | undefined;
  /** A last invoice of usage and pending items. */
  invoiceNow?: boolean | undefined;
  /** Gives back the time that was paid for. */
  prorate?: boolean | undefined;
}

/** Now, or at the end of the period; an open invoice stays payable by hand. */
export function cancelSubscription(
  world: World,
  subscription: Subscription,
  options: CancelOptions = {},
): Subscription {
  if (isOver(subscription)) throw refused(`Subscription ${subscription.id} is already canceled.`);
  if (options.atPeriodEnd === true) {
    return changeSubscription(world, subscription, { cancel_at_period_end: true });
  }
  if (options.prorate) creditUnusedTime(world, subscription);
  endSubscription(world, subscription, 'cancellation_requested');
  if (options.invoiceNow) billRest(world, subscription, 'subscription_update');
  return subscription;
}

type Change = (world: World, subscription: Subscription, changes: SubscriptionChanges) => void;

const CHANGES: readonly Change[] = [
  changeItems,
  changePlainFields,
  changeCancellation,
  changePause,
  changeTrial,
];

function changeItems(world: World, subscription: Subscription, { items = [] }: SubscriptionChanges): void {
  for (const change of items) {
    if (change.id === undefined) addItem(world, subscription, change);
    else changeItem(world, subscription, change);
  }
}

function addItem(world: World, subscription: Subscription, { price, quantity }: ItemChange): void {
  if (price === undefined) throw invalidParameter('An item needs a price.', { param: 'items[0][price]' });
  const created = unixNow(world);
  const times = { created, anchor: subscription.billing_cycle_anchor };
  subscription.items.data.push(buildItem(world, subscription, { price, quantity }, times));
}

function changeItem(world: World, subscription: Subscription, change: ItemChange): void {
  const { data } = subscription.items;
  const index = data.findIndex((item) => item.id === change.id);
  const item = data[index];
  if (item === undefined)
    throw invalidParameter(`No such subscription item: '${change.id}'`, { param: 'items[0][id]' });
  if (change.deleted === true) {
    data.splice(index, 1);
    return;
  }
  if (change.price !== undefined) data[index] = withPrice(world, subscription, item, change.price);
  const changed = data[index];
  if (changed !== undefined && change.quantity !== undefined) changed.quantity = change.quantity;
}

/** Keeps the item's id and its running period. */
function withPrice(
  world: World,
  subscription: Subscription,
  item: SubscriptionItem,
  price: string,
): SubscriptionItem {
  const times = { created: item.created, anchor: item.current_period_end };
  const { price: newPrice, plan } = buildItem(world, subscription, { price }, times);
  return { ...item, price: newPrice, plan };
}

function changePlainFields(world: World, subscription: Subscription, changes: SubscriptionChanges): void {
  const { default_payment_method, default_source, collection_method, days_until_due } = changes;
  const { description, on_behalf_of } = changes;
  Object.assign(
    subscription,
    given({ default_payment_method, default_source, collection_method, days_until_due }),
    given({ description, on_behalf_of }),
  );
  if (changes.automatic_tax !== undefined) subscription.automatic_tax.enabled = changes.automatic_tax.enabled;
  if (changes.default_tax_rates !== undefined)
    subscription.default_tax_rates = findTaxRates(world, changes.default_tax_rates);
  if (changes.metadata !== undefined)
    subscription.metadata = { ...subscription.metadata, ...changes.metadata };
}

/** `canceled_at` is the time of the request, also while the subscription goes on (stripe-facts 2.2). */
function changeCancellation(world: World, subscription: Subscription, changes: SubscriptionChanges): void {
  const { cancel_at_period_end: atPeriodEnd, cancel_at: at } = changes;
  if (atPeriodEnd !== undefined) {
    subscription.cancel_at_period_end = atPeriodEnd;
    subscription.cancel_at = atPeriodEnd ? nextRenewal(subscription) : null;
  }
  if (at !== undefined) subscription.cancel_at = cancelTime(subscription, at);
  if (at === null) subscription.cancel_at_period_end = false;
  if (atPeriodEnd === undefined && at === undefined) return;
  const isEnding = subscription.cancel_at !== null;
  subscription.canceled_at = isEnding ? unixNow(world) : null;
  if (subscription.cancellation_details !== null) {
    subscription.cancellation_details.reason = isEnding ? 'cancellation_requested' : null;
  }
}

function cancelTime(
  subscription: Subscription,
  at: NonNullable<SubscriptionChanges['cancel_at']> | null,
): number | null {
  if (at === 'min_period_end') return nextRenewal(subscription);
  if (at !== 'max_period_end') return at;
  return Math.max(...subscription.items.data.map((item) => item.current_period_end));
}

function changePause(_world: World, subscription: Subscription, changes: SubscriptionChanges): void {
  const { pause_collection: pause } = changes;
  if (pause === undefined) return;
  subscription.pause_collection = pause && { ...pause, resumes_at: pause.resumes_at ?? null };
}

function changeTrial(world: World, subscription: Subscription, changes: SubscriptionChanges): void {
  const { trial_end: trialEnd } = changes;
  if (trialEnd === undefined) return;
  const end = trialEnd === 'now' ? unixNow(world) : trialEnd;
  subscription.trial_start ??= unixNow(world);
  subscription.trial_end = end;
  subscription.billing_cycle_anchor = end;
  if (end > unixNow(world)) subscription.status = 'trialing';
  for (const item of subscription.items.data) item.current_period_end = end;
}

/** Changes of items that wait until their invoice is paid (stripe-facts 3.18). */
const EXPIRES_AFTER_SECONDS = 23 * 3600;

/** The subscription stays as it is until then; `changed` is how it is to be. */
function updateOncePaid(
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

/** `error_if_incomplete`: a change that cannot be paid immediately is refused. */
function refuseUnpaidUpdate(world: World, invoice: Invoice): void {
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
