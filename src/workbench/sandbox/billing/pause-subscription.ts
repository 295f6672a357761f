/** The status `paused` and the way out of it (stripe-facts 2.8); a pause of collection is a change of the subscription. */
import { Duration } from 'luxon';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import { refused } from '../api-error.ts';
import type { Invoice, Subscription } from '../objects/wire.ts';
import { publishUpdated, snapshotOf } from '../publish-event.ts';
import { type Resumption, unixNow, type World } from '../sandbox-world.ts';
import { collectAutomatically } from './collect-invoice.ts';
import { draftInvoice } from './draft-invoice.ts';
import { finalizeInvoice, voidInvoice } from './invoice-lifecycle.ts';
import { addUsage, creditUnusedTime } from './prorations.ts';
import { billRest } from './renew-subscription.ts';
import { movePeriods, scheduleSubscription } from './subscription-schedule.ts';
import { isOver, pause, setStatus } from './subscription-status.ts';

export interface ResumeOptions {
  billingCycleAnchor?: 'now' | 'unchanged' | undefined;
  resumesOn?: Resumption['resumesOn'] | undefined;
}

/** An invoice of a resumption that nobody tries to pay is void after this time. */
const RESUMPTION_EXPIRES_AFTER = Duration.fromObject({ hours: 23 });

export interface PauseOptions {
  /** The time from which paid time is given back. */
  unusedTimeFrom?: 'now' | 'item_current_period_start' | 'none' | undefined;
  /** Whether usage until now is billed. */
  usageThrough?: 'now' | 'none' | undefined;
  /** When false, the open billing waits for the next invoice. */
  invoiceNow?: boolean | undefined;
}

/** Pauses immediately and ends the period: its paid rest is given back, its usage billed (stripe-facts 2.8). */
export function pauseSubscription(
  world: World,
  subscription: Subscription,
  { unusedTimeFrom = 'now', usageThrough = 'now', invoiceNow = false }: PauseOptions = {},
): Subscription {
  assertAutomatic(subscription);
  if (subscription.billing_mode.type !== 'flexible' || subscription.schedule !== null)
    throw refused('Only subscriptions in flexible billing mode, without a schedule, can be paused.');
  if (isOver(subscription) || subscription.status === 'incomplete' || subscription.status === 'paused')
    throw refused(`A subscription that is ${subscription.status} cannot be paused.`);
  const before = snapshotOf(subscription);
  if (unusedTimeFrom !== 'none') creditUnusedTime(world, subscription, unusedTimeFrom);
  if (usageThrough === 'now') addUsage(world, subscription);
  for (const item of subscription.items.data) item.current_period_end = unixNow(world);
  pause(world, subscription, 'pause_requested', before);
  if (invoiceNow) billRest(world, subscription, 'subscription_update');
  return subscription;
}

/** Bills a new period first; without a new anchor the subscription is active immediately and nothing is billed. */
export function resumeSubscription(
  world: World,
  subscription: Subscription,
  { billingCycleAnchor = 'now', resumesOn = 'attempt' }: ResumeOptions = {},
): Subscription {
  assertAutomatic(subscription);
  if (subscription.status !== 'paused') throw refused('Only a paused subscription can be resumed.');
  const before = snapshotOf(subscription);
  if (billingCycleAnchor === 'now') subscription.billing_cycle_anchor = unixNow(world);
  movePeriods(world, subscription);
  if (billingCycleAnchor === 'now') bill(world, subscription, { before, resumesOn });
  else setStatus(world, subscription, 'active', before);
  scheduleSubscription(world, subscription);
  return subscription;
}

function bill(
  world: World,
  subscription: Subscription,
  { before, resumesOn }: { before: Subscription; resumesOn: Resumption['resumesOn'] },
): void {
  const isCollected = resumesOn === 'success';
  const invoice = draftInvoice(world, subscription, {
    billingReason: 'subscription_cycle',
    autoAdvance: isCollected,
    isFree: false,
  });
  subscription.latest_invoice = invoice.id;
  world.resumptions.set(subscription.id, { invoice: invoice.id, resumesOn });
  publishUpdated(world, 'customer.subscription.updated', subscription, before);
  finalizeInvoice(world, invoice);
  if (isCollected && invoice.status === 'open') collectAutomatically(world, invoice);
  scheduleVoid(world, invoice);
}

function scheduleVoid(world: World, invoice: Invoice): void {
  world.due.add({
    atMs: fromUnixSeconds(invoice.created).plus(RESUMPTION_EXPIRES_AFTER).toMillis(),
    isCurrent: () => invoice.status === 'open' && !invoice.attempted,
    run: () => voidInvoice(world, invoice),
  });
}

function assertAutomatic({ collection_method }: Subscription): void {
  if (collection_method !== 'charge_automatically')
    throw refused('Only subscriptions that are collected automatically can be paused and resumed.');
}
