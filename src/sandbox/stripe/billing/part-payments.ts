import { invalidParameter } from '../api-error.ts';
import { buildInvoicePayment, buildPaymentIntent } from '../objects/build-payment.ts';
import type { Invoice, InvoicePayment, PaymentMethod } from '../objects/wire.ts';
import { snapshotOf } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { chargeIntent } from './charge-invoice.ts';
import { assertPayable, recordPaid, scheduleSettlement } from './collect-invoice.ts';

/** A payment intent of its own, attached to the invoice, that pays part of it (stripe-facts 3.15). Throws the decline. */
export function payPart(world: World, invoice: Invoice, amount: number, method: PaymentMethod): Invoice {
  assertPart(invoice, amount);
  const created = unixNow(world);
  const intent = world.paymentIntents.add(buildPaymentIntent(world.ids.next('pi'), created, invoice, amount));
  const payment = attach(world, invoice, amount, { type: 'payment_intent', payment_intent: intent.id });
  const result = chargeIntent(world, intent, method, false);
  if (result.kind === 'failed') throw result.error;
  if (result.kind === 'pending') scheduleSettlement(world, invoice, result, payment);
  else recordPaid(world, invoice, snapshotOf(invoice), payment);
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

function attach(
  world: World,
  invoice: Invoice,
  amount: number,
  payment: InvoicePayment['payment'],
): InvoicePayment {
  const id = world.ids.next('inpay');
  const fields = { id, created: unixNow(world), invoice, amount, payment, isDefault: false };
  return world.invoicePayments.add(buildInvoicePayment(fields));
}

function assertPart(invoice: Invoice, amount: number): void {
  assertPayable(invoice);
  if (amount <= 0 || amount > invoice.amount_remaining)
    throw invalidParameter(`The invoice still owes ${invoice.amount_remaining}, not ${amount}.`, {
      param: 'amount',
    });
}
