import type { Invoice, Subscription } from '../objects/wire.ts';
import { publish, publishUpdated, snapshotOf, update } from '../publish-event.ts';
import { subscriptionOf, unixNow, type World } from '../sandbox-world.ts';

const TERMINAL: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);

/** Brings the subscription into line with its invoices and publishes the change (stripe-facts 2.1). */
export function refreshSubscriptionStatus(world: World, invoice: Invoice): void {
  const subscription = world.subscriptions.get(subscriptionOf(invoice) ?? '');
  if (subscription === undefined || TERMINAL.has(subscription.status)) return;
  settleUpdate(world, subscription, invoice);
  setStatus(world, subscription, statusFromInvoices(world, subscription));
}

/** Paid, the update that its invoice is for is applied; void, it is dropped. */
function settleUpdate(world: World, subscription: Subscription, invoice: Invoice): void {
  const pending = world.pendingUpdates.get(subscription.id);
  if (pending?.invoice !== invoice.id || invoice.status === 'open') return;
  world.pendingUpdates.delete(subscription.id);
  update(world, 'customer.subscription.updated', subscription, {
    ...(invoice.status === 'paid' && pending.fields),
    pending_update: null,
  });
}

/** Publishes what changed since the snapshot, too. Leaving a pause is an event of its own. */
export function setStatus(
  world: World,
  subscription: Subscription,
  status: string,
  before: Subscription = snapshotOf(subscription),
): void {
  subscription.status = status;
  if (before.status === 'paused' && status !== 'paused') {
    delete subscription.status_details;
    world.resumptions.delete(subscription.id);
    publish(world, 'customer.subscription.resumed', subscription);
    world.whenResumed.get(subscription.id)?.();
    world.whenResumed.delete(subscription.id);
  }
  publishUpdated(world, 'customer.subscription.updated', subscription, before);
}

type PauseReason = NonNullable<Subscription['status_details']>['paused']['subscription']['type'];

/** The status, not a pause of collection. Invoices that there are can still be collected (stripe-facts 2.8). */
export function pause(
  world: World,
  subscription: Subscription,
  type: PauseReason,
  before: Subscription = snapshotOf(subscription),
): void {
  subscription.status = 'paused';
  subscription.status_details = {
    paused: { subscription: { type }, transitioned_at: unixNow(world), type: 'subscription' },
  };
  publish(world, 'customer.subscription.paused', subscription);
  publishUpdated(world, 'customer.subscription.updated', subscription, before);
}

export function isOver(subscription: Subscription): boolean {
  return TERMINAL.has(subscription.status);
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
    update(world, 'invoice.updated', invoice, { auto_advance: false, next_payment_attempt: null });
  }
}

/**
 * The most recent finalised invoice that is not void decides; an uncollectible one counts as paid. An `unpaid` subscription
 * waits for the draft that it billed last (stripe-facts 2.1).
 */
function statusFromInvoices(world: World, subscription: Subscription): string {
  if (subscription.status === 'paused') return statusAfterPause(world, subscription);
  const inGoodStanding =
    subscription.trial_end !== null && subscription.trial_end > unixNow(world) ? 'trialing' : 'active';
  for (const invoice of world.invoices.newestFirst({ index: 'subscription', key: subscription.id })) {
    const isOfUpdate = world.pendingUpdates.get(subscription.id)?.invoice === invoice.id;
    if (invoice.status === 'void' || isOfUpdate) continue;
    if (invoice.status === 'draft') {
      if (subscription.status === 'unpaid') return 'unpaid';
      continue;
    }
    if (invoice.status !== 'open' || isNotDue(world, invoice)) return inGoodStanding;
    return statusWhileOwed(world, subscription, invoice);
  }
  // The first invoice of an incomplete one was voided: nothing was paid.
  return subscription.status === 'incomplete' ? 'incomplete' : inGoodStanding;
}

/** Failed or not attempted; while a debit is pending the status stays, but a first one begins the subscription. */
function statusWhileOwed(world: World, { status }: Subscription, invoice: Invoice): string {
  if (isProcessing(world, invoice)) return status === 'incomplete' ? 'active' : status;
  return status === 'incomplete' || status === 'unpaid' ? status : 'past_due';
}

/** The invoice that resuming made decides, or the one whose failure paused it (stripe-facts 2.8). */
function statusAfterPause(world: World, subscription: Subscription): string {
  const resumption = world.resumptions.get(subscription.id);
  const failed = FAILURES.has(subscription.status_details?.paused.subscription.type ?? '');
  const invoice = world.invoices.get(
    resumption?.invoice ?? (failed ? subscription.latest_invoice : '') ?? '',
  );
  if (invoice?.status === 'paid' || invoice?.status === 'uncollectible') return 'active';
  const hasFailed = invoice?.status === 'open' && invoice.attempted && !isProcessing(world, invoice);
  return hasFailed && resumption?.resumesOn === 'attempt' ? 'past_due' : 'paused';
}

const FAILURES: ReadonlySet<string> = new Set(['first_payment_failure', 'final_payment_failure']);

function isNotDue(world: World, { collection_method, due_date }: Invoice): boolean {
  return collection_method === 'send_invoice' && (due_date ?? Infinity) > unixNow(world);
}

function isProcessing(world: World, invoice: Invoice): boolean {
  for (const payment of world.invoicePayments.newestFirst({ index: 'invoice', key: invoice.id })) {
    if (world.paymentIntents.get(payment.payment.payment_intent ?? '')?.status === 'processing') return true;
  }
  return false;
}
