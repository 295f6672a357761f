import { invalidParameter, refused } from '../api-error.ts';
import { buildInvoicePayment, buildPaymentIntent } from '../objects/build-payment.ts';
import type { Invoice, InvoicePayment, PaymentIntent, PaymentMethod } from '../objects/wire.ts';
import { publish, snapshotOf } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { chargeIntent } from './charge-invoice.ts';
import { assertPayable, followPayment, recordPaid } from './collect-invoice.ts';

/** Creates an intent without an invoice, until it is attached to one. */
export function createIntent(
  world: World,
  owner: Pick<Invoice, 'currency' | 'customer' | 'on_behalf_of'>,
  amount: number,
): PaymentIntent {
  const intent = world.paymentIntents.add(
    buildPaymentIntent(world.ids.next('pi'), unixNow(world), owner, amount),
  );
  publish(world, 'payment_intent.created', intent);
  return intent;
}

/** Charges it; what it is attached to is credited once it succeeded. Throws the decline. */
export function confirmIntent(world: World, intent: PaymentIntent, method: PaymentMethod): PaymentIntent {
  if (intent.status === 'succeeded' || intent.status === 'canceled')
    throw refused(`You cannot confirm this PaymentIntent because it has a status of ${intent.status}.`, {
      code: 'payment_intent_unexpected_state',
    });
  const result = chargeIntent(world, intent, method, false);
  if (result.kind === 'failed') throw result.error;
  if (result.kind === 'paid') creditInvoice(world, intent);
  else
    world.due.add({
      atMs: result.answersAt,
      isCurrent: () => intent.status === 'processing',
      run: () => {
        if (result.settle()) creditInvoice(world, intent);
      },
    });
  return intent;
}

/** Credits a succeeded payment immediately, any other when it succeeds (stripe-facts 3.15). */
export function attachPayment(world: World, invoice: Invoice, intent: PaymentIntent): Invoice {
  assertPayable(invoice);
  if (intent.customer !== invoice.customer)
    throw refused('The payment intent is not of the customer of this invoice.', { param: 'payment_intent' });
  if (findAttached(world, intent) !== undefined || intent.status === 'canceled')
    throw refused('This payment intent cannot be attached.', { param: 'payment_intent' });
  attach(world, invoice, intent.amount, { type: 'payment_intent', payment_intent: intent.id });
  if (intent.status === 'succeeded') creditInvoice(world, intent);
  return invoice;
}

/** A payment intent of its own, attached to the invoice, that pays part of it. Throws the decline. */
export function payPart(world: World, invoice: Invoice, amount: number, method: PaymentMethod): Invoice {
  assertPart(invoice, amount);
  const intent = createIntent(world, invoice, amount);
  attachPayment(world, invoice, intent);
  confirmIntent(world, intent, method);
  return invoice;
}

/** Money that came outside of Stripe for part of the invoice, as a payment record. */
export function recordPart(world: World, invoice: Invoice, amount: number): Invoice {
  assertPart(invoice, amount);
  const before = snapshotOf(invoice);
  const record = { type: 'payment_record', payment_record: world.ids.next('prec') } as const;
  const payment = attach(world, invoice, amount, record);
  invoice.amount_paid_off_stripe = (invoice.amount_paid_off_stripe ?? 0) + amount;
  recordPaid(world, invoice, before, payment);
  return invoice;
}

/** An intent without an invoice has no effect beyond the payment. */
function creditInvoice(world: World, intent: PaymentIntent): void {
  const payment = findAttached(world, intent);
  const invoice = world.invoices.get(payment?.invoice ?? '');
  if (payment === undefined || invoice === undefined) followPayment(world, intent);
  else recordPaid(world, invoice, snapshotOf(invoice), payment);
}

function findAttached(world: World, { id }: PaymentIntent): InvoicePayment | undefined {
  for (const payment of world.invoicePayments.newestFirst({ index: 'paymentIntent', key: id }))
    return payment;
  return undefined;
}

function attach(
  world: World,
  invoice: Invoice,
  amount: number,
  payment: InvoicePayment['payment'],
): InvoicePayment {
  const id = world.ids.next('inpay');
  const fields = { id, created: unixNow(world), amount_requested: amount, payment, is_default: false };
  return world.invoicePayments.add(buildInvoicePayment(fields, invoice));
}

function assertPart(invoice: Invoice, amount: number): void {
  assertPayable(invoice);
  if (amount <= 0 || amount > invoice.amount_remaining)
    throw invalidParameter(`The invoice still owes ${invoice.amount_remaining}, not ${amount}.`, {
      param: 'amount',
    });
}
