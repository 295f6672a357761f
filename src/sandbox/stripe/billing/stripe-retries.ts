import { Duration } from 'luxon';
import { fromUnixSeconds } from '../../../clock.ts';
import type { Invoice } from '../objects/wire.ts';
import { publishUpdated, snapshotOf } from '../publish-event.ts';
import { subscriptionOf, unixNow, type World } from '../sandbox-world.ts';
import { findPaymentMethod, getPaymentIntent } from './charge-invoice.ts';
import { endAfterLastRetry } from './subscription-status.ts';

/** Days from each failed attempt to Stripe's next: four retries within fourteen days. */
const RETRY_GAPS_DAYS: readonly number[] = [3, 3, 4, 4];

/** Codes after which Stripe does not charge again until there is a new payment method (stripe-facts 4.2). */
const NEVER_RETRIED: ReadonlySet<string> = new Set([
  'incorrect_number',
  'lost_card',
  'pickup_card',
  'stolen_card',
  'revocation_of_authorization',
  'revocation_of_all_authorizations',
  'authentication_required',
  'highest_risk_level',
  'transaction_not_allowed',
]);

/** Makes Stripe's own attempt; given by the caller, because collecting itself plans the next retry. */
type Collect = (world: World, invoice: Invoice) => void;

/**
 * After Stripe's own attempt failed: sets `next_payment_attempt` and queues that attempt. True when the schedule
 * is used up, so that the merchant's choice for the end applies.
 */
export function planStripeRetry(world: World, invoice: Invoice, collect: Collect): boolean {
  invoice.next_payment_attempt = null;
  if (world.policy.stripeRetries === 'off' || invoice.auto_advance !== true) return false;
  const days = RETRY_GAPS_DAYS[invoice.attempt_count - 1];
  if (days === undefined) return true;
  const now = fromUnixSeconds(unixNow(world));
  const at = Math.floor(now.plus(Duration.fromObject({ days })).toSeconds());
  invoice.next_payment_attempt = at;
  world.due.add({
    atMs: at * 1000,
    isCurrent: () => isCollectedByStripe(invoice) && invoice.next_payment_attempt === at,
    run: () => {
      if (isWorthTrying(world, invoice)) collect(world, invoice);
      else skip(world, invoice, collect);
    },
  });
  return false;
}

/** Setting `auto_advance` back to true hands the invoice to the schedule again (stripe-facts 4.4). */
export function resumeStripeRetries(world: World, invoice: Invoice, collect: Collect): void {
  const isWaiting = isCollectedByStripe(invoice) && invoice.attempted && subscriptionOf(invoice) !== null;
  if (isWaiting && invoice.next_payment_attempt === null) planStripeRetry(world, invoice, collect);
}

function isCollectedByStripe(invoice: Invoice): boolean {
  return invoice.status === 'open' && invoice.auto_advance === true;
}

/** After a final code nothing is charged until the method changes; nor is without a method (stripe-facts 4.2). */
function isWorthTrying(world: World, invoice: Invoice): boolean {
  const method = findPaymentMethod(world, invoice);
  if (method === undefined) return false;
  const key = getPaymentIntent(world, invoice).id;
  for (const charge of world.charges.newestFirst({ index: 'paymentIntent', key })) {
    if (charge.payment_method !== method.id) return true;
    const decline = world.paymentIntents.get(key)?.last_payment_error?.decline_code;
    return !NEVER_RETRIED.has(decline ?? '') && !NEVER_RETRIED.has(charge.outcome?.reason ?? '');
  }
  return true;
}

/** The schedule and the count go on although no charge is made (stripe-facts 4.2). */
function skip(world: World, invoice: Invoice, collect: Collect): void {
  const before = snapshotOf(invoice);
  invoice.attempt_count += 1;
  const isLast = planStripeRetry(world, invoice, collect);
  publishUpdated(world, 'invoice.updated', invoice, before);
  if (isLast) endAfterLastRetry(world, invoice);
}
