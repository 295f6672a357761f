import { Duration } from 'luxon';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import type { Charge, Invoice, PaymentMethod } from '../objects/wire.ts';
import { publishUpdated, snapshotOf } from '../publish-event.ts';
import { type StripePolicy, subscriptionOf, unixNow, type World } from '../sandbox-world.ts';
import { findPaymentMethod, getPaymentIntent } from './charge-invoice.ts';
import { endAfterLastRetry } from './give-up-invoice.ts';

/** What Stripe recommends (stripe-facts 4.1). */
const RECOMMENDED = { tries: 8, days: 14 };

/** Codes after which Stripe does not charge again until there is a new payment method (stripe-facts 4.2). */
export const NEVER_RETRIED: ReadonlySet<string> = new Set([
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

/** Retries of one ACH debit that lacked funds (stripe-facts 4.5). */
const MOST_DEBIT_RETRIES = 2;
const DEBIT_RETRIES_WITHIN = Duration.fromObject({ days: 14 });

/** Makes Stripe's own attempt; given by the caller, because collecting itself plans the next retry. */
type Collect = (world: World, invoice: Invoice) => void;

/**
 * Sets `next_payment_attempt` and queues that attempt after a failed one that Stripe's schedule counts. Returns true when the
 * schedule is used up and the merchant's choice for the end applies.
 */
export function planStripeRetry(world: World, invoice: Invoice, collect: Collect): boolean {
  invoice.next_payment_attempt = null;
  if (world.policy.stripeRetries === 'off' || invoice.auto_advance !== true) return false;
  if (!isRetried(world, invoice)) return false;
  const gap = gapBefore(world.policy.stripeRetries, invoice.attempt_count);
  if (gap === undefined) return true;
  const at = Math.floor(fromUnixSeconds(unixNow(world)).plus(gap).toSeconds());
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

/** Smart Retries pick their moments by signals that nobody sees; here they are spread evenly. */
function gapBefore(
  schedule: Exclude<StripePolicy['stripeRetries'], 'off'>,
  retry: number,
): Duration | undefined {
  if (typeof schedule === 'object' && 'afterDays' in schedule) {
    const days = schedule.afterDays[retry - 1];
    return days === undefined ? undefined : Duration.fromObject({ days });
  }
  const { tries, days } = schedule === 'smart' ? RECOMMENDED : schedule;
  return retry > tries ? undefined : Duration.fromObject({ hours: (days * 24) / tries });
}

/** Not the first invoice of a subscription, nor one that resumes it on any attempt, or that an update waits for. */
function isRetried(world: World, invoice: Invoice): boolean {
  const subscription = world.subscriptions.get(subscriptionOf(invoice) ?? '');
  const resumption = world.resumptions.get(subscription?.id ?? '');
  const resumes = resumption?.invoice === invoice.id && resumption.resumesOn === 'attempt';
  const isOfUpdate = world.pendingUpdates.get(subscription?.id ?? '')?.invoice === invoice.id;
  return subscription?.status !== 'incomplete' && !resumes && !isOfUpdate;
}

function isCollectedByStripe(invoice: Invoice): boolean {
  return invoice.status === 'open' && invoice.auto_advance === true;
}

/** Whether a retry is executed; skipped ones still count (stripe-facts 4.2, 4.5). */
function isWorthTrying(world: World, invoice: Invoice): boolean {
  const method = findPaymentMethod(world, invoice);
  if (method === undefined || method.card?.country === 'IN') return false;
  const intent = getPaymentIntent(world, invoice);
  if (intent.status === 'requires_action') return intent.payment_method !== method.id;
  const charges = [...world.charges.newestFirst({ index: 'paymentIntent', key: intent.id })].filter(
    (charge) => isOn(charge, method),
  );
  if (method.card === undefined) return isDebitRetried(world, charges);
  return !NEVER_RETRIED.has(charges[0]?.outcome?.reason ?? '');
}

/** A card that its network has renewed is another one. */
function isOn({ payment_method, payment_method_details: details }: Charge, method: PaymentMethod): boolean {
  return (
    payment_method === method.id &&
    (method.card === undefined || details?.card?.fingerprint === method.card.fingerprint)
  );
}

function isDebitRetried(world: World, charges: readonly Charge[]): boolean {
  const [last] = charges;
  const first = charges.at(-1);
  if (last === undefined || first === undefined) return true;
  const isAch = last.payment_method_details?.type === 'us_bank_account';
  const until = fromUnixSeconds(first.created).plus(DEBIT_RETRIES_WITHIN);
  return (
    world.policy.retriesDebits &&
    isAch &&
    last.failure_code === 'insufficient_funds' &&
    charges.length <= MOST_DEBIT_RETRIES &&
    world.clock.now() <= until
  );
}

/** The schedule and the count go on although no charge is made (stripe-facts 4.2). */
function skip(world: World, invoice: Invoice, collect: Collect): void {
  const before = snapshotOf(invoice);
  invoice.attempt_count += 1;
  const isLast = planStripeRetry(world, invoice, collect);
  publishUpdated(world, 'invoice.updated', invoice, before);
  if (isLast) endAfterLastRetry(world, invoice);
}
