import { fromUnixSeconds } from '../../../core/base/clock.ts';
import type { Invoice, Subscription, SubscriptionItem } from '../objects/wire.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { billingPeriodAt } from './billing-period.ts';
import { draftInvoice } from './draft-invoice.ts';
import { addInvoiceItem } from './invoice-items.ts';
import { isMetered, lineAmount } from './line-amount.ts';

export type ProrationBehavior = 'create_prorations' | 'always_invoice' | 'none';

/**
 * Bills a change of items (stripe-facts 3.13): unused paid time is given back, remaining time is charged, with the next invoice
 * or, with `always_invoice`, immediately. A new interval begins a new period, which is billed immediately. Returns the invoice
 * to issue, if any.
 */
export function billItemChange(
  world: World,
  subscription: Subscription,
  before: Subscription,
  behavior: ProrationBehavior,
): Invoice | undefined {
  if (subscription.status !== 'active' && subscription.status !== 'past_due') return undefined;
  const isNewCycle = hasNewInterval(before.items.data, subscription.items.data);
  if (behavior !== 'none') prorate(world, subscription, before.items.data, isNewCycle);
  if (isNewCycle) beginCycle(world, subscription);
  else if (behavior !== 'always_invoice') return undefined;
  const options = { billingReason: 'subscription_update', autoAdvance: true };
  const invoice = draftInvoice(world, subscription, isNewCycle ? options : { ...options, only: 'pending' });
  subscription.latest_invoice = invoice.id;
  return invoice;
}

/**
 * An end before the period's own gives the time after it back; a later one, or none, charges that again (stripe-facts 3.14).
 * True where that changed anything.
 */
export function billEarlierEnd(
  world: World,
  subscription: Subscription,
  before: Pick<Subscription, 'cancel_at'>,
): boolean {
  if (subscription.cancel_at === before.cancel_at) return false;
  const count = world.invoiceItems.size;
  for (const item of subscription.items.data) {
    if (before.cancel_at !== null) addProration(world, subscription, item, 1, before.cancel_at);
    if (subscription.cancel_at !== null) addProration(world, subscription, item, -1, subscription.cancel_at);
  }
  return world.invoiceItems.size > count;
}

/** The unused time of every item, for a subscription that ends or pauses now. */
export function creditUnusedTime(
  world: World,
  subscription: Subscription,
  from: 'now' | 'item_current_period_start' = 'now',
): void {
  for (const item of subscription.items.data) {
    addProration(world, subscription, item, -1, from === 'now' ? unixNow(world) : item.current_period_start);
  }
}

/** The usage of every metered item until now, as pending items. */
export function addUsage(world: World, subscription: Subscription): void {
  for (const item of subscription.items.data.filter(isMetered)) {
    const quantity = world.usage.get(item.id) ?? 0;
    world.usage.delete(item.id);
    const { customer, currency, id } = subscription;
    const amount = lineAmount(world, { ...item, quantity }, currency);
    if (amount === 0) continue;
    const period = { start: item.current_period_start, end: unixNow(world) };
    const description = `Usage of ${productOf(world, item)}`;
    addInvoiceItem(world, { customer, currency, amount, description, quantity, subscription: id, period });
  }
}

function prorate(
  world: World,
  subscription: Subscription,
  before: readonly SubscriptionItem[],
  isNewCycle: boolean,
): void {
  const after = subscription.items.data;
  for (const old of before) {
    const item = after.find(({ id }) => id === old.id);
    if (!isNewCycle && item !== undefined && isSame(item, old)) continue;
    addProration(world, subscription, old, -1);
    if (item !== undefined && !isNewCycle) addProration(world, subscription, item, 1);
  }
  const added = after.filter(({ id }) => !before.some((old) => old.id === id));
  if (!isNewCycle) for (const item of added) addProration(world, subscription, item, 1);
}

/** Adds a proration from an instant to the end of the item's period. */
function addProration(
  world: World,
  subscription: Subscription,
  item: SubscriptionItem,
  sign: 1 | -1,
  from = unixNow(world),
): void {
  if (isMetered(item)) return;
  const { current_period_start: start, current_period_end: end } = item;
  const share = Math.max(0, Math.min(1, (end - from) / (end - start)));
  const amount = sign * Math.round(lineAmount(world, item, subscription.currency) * share);
  if (amount === 0) return;
  const quantity = item.quantity ?? 1;
  const product = productOf(world, item);
  const what = quantity === 1 ? product : `${quantity} × ${product}`;
  const day = fromUnixSeconds(from).toFormat('dd LLL yyyy');
  addInvoiceItem(world, {
    customer: subscription.customer,
    currency: subscription.currency,
    amount,
    description: `${sign === 1 ? 'Remaining' : 'Unused'} time on ${what} after ${day}`,
    quantity,
    subscription: subscription.id,
    subscriptionItem: item.id,
    period: { start: from, end },
  });
}

function productOf(world: World, { price }: SubscriptionItem): string {
  return world.products.get(price.product)?.name ?? 'Subscription';
}

function isSame(a: SubscriptionItem, b: SubscriptionItem): boolean {
  return a.price.id === b.price.id && a.quantity === b.quantity;
}

function hasNewInterval(before: readonly SubscriptionItem[], after: readonly SubscriptionItem[]): boolean {
  return after.some(({ id, price }) => {
    const old = before.find((item) => item.id === id)?.price.recurring;
    const isKept = old?.interval === price.recurring?.interval;
    return old !== undefined && !(isKept && old?.interval_count === price.recurring?.interval_count);
  });
}

function beginCycle(world: World, subscription: Subscription): void {
  const now = unixNow(world);
  subscription.billing_cycle_anchor = now;
  for (const item of subscription.items.data) {
    item.current_period_start = now;
    item.current_period_end = billingPeriodAt(now, now, item.price.recurring).end;
  }
}
