import { type ApiError, refused } from '../api-error.ts';
import type { Invoice, InvoicePayment, PaymentIntent, PaymentMethod } from '../objects/wire.ts';
import { publish, publishUpdated, snapshotOf } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { type AttemptResult, chargeInvoice, findPaymentMethod, getInvoicePayment } from './charge-invoice.ts';
import { disputeCharge } from './dispute-charge.ts';
import { endAfterLastRetry, pauseAfterFirstFailure } from './give-up-invoice.ts';
import { refusalOf } from './mandates.ts';
import { planStripeRetry } from './stripe-retries.ts';
import { refreshSubscriptionStatus } from './subscription-status.ts';

/** Who makes the attempt: the schedule counts only its own (stripe-facts 3.2). The customer can authenticate. */
export type AttemptBy = 'stripe' | 'merchant' | 'customer';

/** `invoices.pay` on an open or uncollectible invoice. Throws the API's errors. */
export function payInvoice(
  world: World,
  invoice: Invoice,
  { chosenMethod, by = 'merchant' }: { chosenMethod?: PaymentMethod | undefined; by?: AttemptBy } = {},
): Invoice {
  assertPayable(invoice);
  const method = chosenMethod ?? findPaymentMethod(world, invoice);
  if (method === undefined) {
    throw refused(
      'Cannot charge customer that has no attached payment source or default payment method. Please add one.',
    );
  }
  if (by === 'merchant') assertMandate(world, method);
  const error = attemptPayment(world, invoice, { by, method });
  if (error !== undefined) throw error;
  return invoice;
}

/** Stripe's own attempt, after finalizing and on its retry schedule. */
export function collectAutomatically(world: World, invoice: Invoice): void {
  const method = findPaymentMethod(world, invoice);
  if (method !== undefined) {
    attemptPayment(world, invoice, { by: 'stripe', method });
    return;
  }
  const before = snapshotOf(invoice);
  countAttempt(invoice, 'stripe');
  fail(world, invoice, { before, isScheduled: true, needsCustomer: false });
}

/** Settled without a charge by Stripe; the money came another way. */
export function payOutOfBand(world: World, invoice: Invoice): Invoice {
  assertPayable(invoice);
  const before = snapshotOf(invoice);
  invoice.amount_paid_off_stripe = invoice.amount_remaining;
  markPaid(world, invoice);
  cancelOpenPayment(world, invoice);
  publish(world, 'invoice.paid', invoice);
  publishUpdated(world, 'invoice.updated', invoice, before);
  refreshSubscriptionStatus(world, invoice);
  return invoice;
}

/** An invoice that owes nothing is paid without a payment. */
export function payNothing(world: World, invoice: Invoice): void {
  invoice.attempted = true;
  markPaid(world, invoice);
  publish(world, 'invoice.paid', invoice);
  publish(world, 'invoice.payment_succeeded', invoice);
  refreshSubscriptionStatus(world, invoice);
}

export function cancelOpenPayment(world: World, invoice: Invoice): void {
  for (const payment of world.invoicePayments.newestFirst({ index: 'invoice', key: invoice.id })) {
    const intent = world.paymentIntents.get(payment.payment.payment_intent ?? '');
    if (payment.status !== 'open' || intent?.status === 'processing') continue;
    payment.status = 'canceled';
    payment.status_transitions.canceled_at = unixNow(world);
    if (intent === undefined) continue;
    intent.status = 'canceled';
    intent.canceled_at = unixNow(world);
    intent.cancellation_reason = 'void_invoice';
    publish(world, 'payment_intent.canceled', intent);
  }
}

export function assertPayable(invoice: Invoice): void {
  if (invoice.status === 'paid') throw refused('Invoice is already paid');
  if (invoice.status === 'void') throw refused('Voided invoices cannot be paid.');
  if (invoice.status === 'draft') throw refused('Draft invoices cannot be paid; finalize it first.');
}

/** Only the customer can give a new one (stripe-facts 5.13). A card's is found out by charging it. */
function assertMandate(world: World, method: PaymentMethod): void {
  const code = refusalOf(world, method);
  if (code !== undefined && method.type !== 'card')
    throw refused('The mandate of this payment method is no longer active.', { code });
}

function attemptPayment(
  world: World,
  invoice: Invoice,
  attempt: { by: AttemptBy; method: PaymentMethod },
): ApiError | undefined {
  const result = chargeInvoice(world, invoice, attempt.method, attempt.by === 'customer');
  const before = snapshotOf(invoice);
  const isScheduled = countAttempt(invoice, attempt.by);
  if (result.kind === 'paid') {
    recordPaid(world, invoice, before);
    return undefined;
  }
  if (result.kind === 'pending') {
    invoice.next_payment_attempt = null;
    scheduleSettlement(world, invoice, result);
    publishUpdated(world, 'invoice.updated', invoice, before);
    refreshSubscriptionStatus(world, invoice);
    return undefined;
  }
  fail(world, invoice, { before, isScheduled, needsCustomer: result.needsCustomer });
  return result.error;
}

/** Any first attempt counts and begins Stripe's schedule; after it only Stripe's own do (stripe-facts 3.2). */
function countAttempt(invoice: Invoice, by: AttemptBy): boolean {
  const isScheduled = by === 'stripe' || invoice.attempt_count === 0;
  if (isScheduled) invoice.attempt_count += 1;
  invoice.attempted = true;
  return isScheduled;
}

/** Credits each of several payments with its part (stripe-facts 3.15). */
export function recordPaid(
  world: World,
  invoice: Invoice,
  before: Invoice,
  payment: InvoicePayment = getInvoicePayment(world, invoice),
): void {
  const left = invoice.amount_remaining - payment.amount_requested;
  payment.status = 'paid';
  payment.amount_paid = payment.amount_requested;
  payment.status_transitions.paid_at = unixNow(world);
  publish(world, 'invoice_payment.paid', payment);
  if (left > 0) {
    invoice.amount_paid += payment.amount_requested;
    invoice.amount_remaining = left;
    askForRest(world, invoice);
    publishUpdated(world, 'invoice.updated', invoice, before);
    followPayment(world, world.paymentIntents.get(payment.payment.payment_intent ?? ''));
    return;
  }
  markPaid(world, invoice);
  invoice.amount_overpaid = -left;
  cancelOpenPayment(world, invoice);
  publish(world, 'invoice.paid', invoice);
  publish(world, 'invoice.payment_succeeded', invoice);
  if (left < 0) publish(world, 'invoice.overpaid', invoice);
  publishUpdated(world, 'invoice.updated', invoice, before);
  refreshSubscriptionStatus(world, invoice);
  followPayment(world, world.paymentIntents.get(payment.payment.payment_intent ?? ''));
}

/** The holders of some test cards dispute what they paid (stripe-facts 8.2). */
export function followPayment(world: World, intent: PaymentIntent | undefined): void {
  const charge = world.charges.get(intent?.latest_charge ?? '');
  const disputed = world.cards.get(charge?.payment_method ?? '')?.behaviour.disputed;
  if (charge?.status !== 'succeeded' || charge.disputed || disputed === undefined) return;
  disputeCharge(world, charge, disputed.reason, disputed);
}

/** Sets the default payment to the remaining amount; a pending one stays unchanged until it fails. */
export function askForRest(world: World, invoice: Invoice): void {
  const payment = getInvoicePayment(world, invoice);
  const intent = world.paymentIntents.get(payment.payment.payment_intent ?? '');
  if (payment.status !== 'open' || intent === undefined || intent.status === 'processing') return;
  payment.amount_requested = invoice.amount_remaining;
  intent.amount = invoice.amount_remaining;
}

interface Failure {
  /** The invoice before the attempt. */
  before: Invoice;
  /** It moves Stripe's schedule. */
  isScheduled: boolean;
  needsCustomer: boolean;
}

function fail(world: World, invoice: Invoice, { before, isScheduled, needsCustomer }: Failure): void {
  askForRest(world, invoice);
  const isLast = isScheduled && planStripeRetry(world, invoice, collectAutomatically);
  const shown = world.policy.usesAutomations ? { ...invoice, next_payment_attempt: null } : invoice;
  if (needsCustomer) publish(world, 'invoice.payment_action_required', shown);
  publish(world, 'invoice.payment_failed', shown);
  publishUpdated(world, 'invoice.updated', invoice, before);
  refreshSubscriptionStatus(world, invoice);
  if (isLast) endAfterLastRetry(world, invoice);
  else if (isScheduled && invoice.attempt_count === 1) pauseAfterFirstFailure(world, invoice);
}

export function markPaid(world: World, invoice: Invoice): void {
  invoice.status = 'paid';
  invoice.amount_paid = invoice.amount_due;
  invoice.amount_remaining = 0;
  invoice.next_payment_attempt = null;
  invoice.auto_advance = false;
  invoice.status_transitions.paid_at = unixNow(world);
}

function scheduleSettlement(
  world: World,
  invoice: Invoice,
  { intent, answersAt, settle }: Extract<AttemptResult, { kind: 'pending' }>,
): void {
  world.due.add({
    atMs: answersAt,
    isCurrent: () =>
      intent.status === 'processing' && (invoice.status === 'open' || invoice.status === 'uncollectible'),
    run: () => {
      const isPaid = settle();
      const before = snapshotOf(invoice);
      // The schedule paused while the payment was pending, ours or Stripe's.
      if (isPaid) recordPaid(world, invoice, before);
      else fail(world, invoice, { before, isScheduled: true, needsCustomer: false });
    },
  });
}
