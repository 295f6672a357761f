import { z } from 'zod';
import { refused, resourceMissing, retrieve } from '../api-error.ts';
import { collectAutomatically, payInvoice, payOutOfBand } from '../billing/collect-invoice.ts';
import { markUncollectible } from '../billing/give-up-invoice.ts';
import { voidInvoice } from '../billing/invoice-lifecycle.ts';
import { finalizeAndCollect } from '../billing/one-off-invoice.ts';
import { refundCharge } from '../billing/refund-charge.ts';
import { resumeStripeRetries } from '../billing/stripe-retries.ts';
import type { Charge, Invoice, InvoicePayment, PaymentIntent, PaymentMethod } from '../objects/wire.ts';
import { publishUpdated, snapshotOf } from '../publish-event.ts';
import { subscriptionOf, type World } from '../sandbox-world.ts';
import {
  formBoolean,
  formInteger,
  formMetadata,
  formTimeFilter,
  isWithin,
  PAGE_PARAMETERS,
} from './form-parameters.ts';
import { firstGiven, listPage, type Route, route } from './route.ts';

const none = z.strictObject({});
const text = z.string().optional();
const listFields = z.strictObject({
  ...PAGE_PARAMETERS,
  customer: text,
  subscription: text,
  status: text,
  collection_method: text,
  created: formTimeFilter.optional(),
});
const payFields = z.strictObject({
  payment_method: text,
  off_session: formBoolean.optional(),
  paid_out_of_band: formBoolean.optional(),
});
const updateFields = z.strictObject({
  auto_advance: formBoolean.optional(),
  default_payment_method: text,
  description: text,
  metadata: formMetadata.optional(),
});
const paymentListFields = z.strictObject({
  ...PAGE_PARAMETERS,
  invoice: text,
  status: text,
  created: formTimeFilter.optional(),
  payment: z
    .strictObject({
      type: z.enum(['payment_intent', 'payment_record']),
      payment_intent: text,
      payment_record: text,
    })
    .optional(),
});
const paymentObjectList = z.strictObject({
  ...PAGE_PARAMETERS,
  customer: text,
  created: formTimeFilter.optional(),
});

const refundOf = { charge: text, payment_intent: text };
const refundFields = z.strictObject({ ...refundOf, amount: formInteger.optional(), reason: text });
const refundList = z.strictObject({ ...PAGE_PARAMETERS, ...refundOf, created: formTimeFilter.optional() });

export const INVOICE_ROUTES: readonly Route[] = [
  route('get', '/v1/invoices', listFields, (world, _id, params) =>
    listPage(world.invoices, params, {
      url: '/v1/invoices',
      within: firstGiven({ subscription: params.subscription, customer: params.customer }),
      matches: (invoice) => matchesList(invoice, params),
    }),
  ),
  route('get', '/v1/invoices/:id', none, getInvoice),
  route('post', '/v1/invoices/:id', updateFields, (world, id, params) =>
    updateInvoice(world, getInvoice(world, id), params),
  ),
  route('post', '/v1/invoices/:id/pay', payFields, (world, id, params) =>
    pay(world, getInvoice(world, id), params),
  ),
  route('post', '/v1/invoices/:id/void', none, (world, id) => voidInvoice(world, getInvoice(world, id))),
  route('post', '/v1/invoices/:id/mark_uncollectible', none, (world, id) =>
    markUncollectible(world, getInvoice(world, id)),
  ),
  route(
    'post',
    '/v1/invoices/:id/finalize',
    z.strictObject({ auto_advance: formBoolean.optional() }),
    (world, id, params) => finalize(world, getInvoice(world, id), params.auto_advance),
  ),
  route('get', '/v1/invoice_payments', paymentListFields, (world, _id, params) =>
    listPage(world.invoicePayments, params, {
      url: '/v1/invoice_payments',
      within: firstGiven({ invoice: params.invoice, paymentIntent: params.payment?.payment_intent }),
      matches: (payment) => matchesPayment(payment, params),
    }),
  ),
  route('get', '/v1/invoice_payments/:id', none, getInvoicePaymentById),
  route('get', '/v1/payment_intents', paymentObjectList, (world, _id, params) =>
    listPage(world.paymentIntents, params, {
      url: '/v1/payment_intents',
      within: firstGiven({ customer: params.customer }),
      matches: ({ created }) => isWithin(created, params.created),
    }),
  ),
  route('get', '/v1/payment_intents/:id', none, getPaymentIntentById),
  route('get', '/v1/charges', paymentObjectList.extend({ payment_intent: text }), (world, _id, params) =>
    listPage(world.charges, params, {
      url: '/v1/charges',
      within: firstGiven({ paymentIntent: params.payment_intent, customer: params.customer }),
      matches: ({ created, customer }) =>
        isWithin(created, params.created) && (params.customer ?? customer) === customer,
    }),
  ),
  route('get', '/v1/charges/:id', none, getCharge),
  route('post', '/v1/refunds', refundFields, (world, _id, { charge, payment_intent: intent, ...input }) =>
    refundCharge(world, getCharge(world, charge ?? latestCharge(world, intent)), input),
  ),
  route('get', '/v1/refunds', refundList, (world, _id, params) =>
    listPage(world.refunds, params, {
      url: '/v1/refunds',
      matches: ({ charge, payment_intent: intent, created }) =>
        (params.charge ?? charge) === charge &&
        (params.payment_intent ?? intent) === intent &&
        isWithin(created, params.created),
    }),
  ),
  route('get', '/v1/refunds/:id', none, (world, id) => retrieve(world.refunds, 'refund', id)),
];

export function getInvoice(world: World, id: string): Invoice {
  return retrieve(world.invoices, 'invoice', id);
}

export function getCharge(world: World, id: string): Charge {
  return retrieve(world.charges, 'charge', id);
}

function latestCharge(world: World, intent = ''): string {
  return getPaymentIntentById(world, intent).latest_charge ?? '';
}

function getPaymentIntentById(world: World, id: string): PaymentIntent {
  return retrieve(world.paymentIntents, 'payment_intent', id);
}

function getInvoicePaymentById(world: World, id: string): InvoicePayment {
  return retrieve(world.invoicePayments, 'invoice_payment', id);
}

function matchesList(invoice: Invoice, params: z.output<typeof listFields>): boolean {
  return (
    (params.status ?? invoice.status) === invoice.status &&
    (params.customer ?? invoice.customer) === invoice.customer &&
    (params.subscription ?? subscriptionOf(invoice)) === subscriptionOf(invoice) &&
    (params.collection_method ?? invoice.collection_method) === invoice.collection_method &&
    isWithin(invoice.created, params.created)
  );
}

function matchesPayment(payment: InvoicePayment, params: z.output<typeof paymentListFields>): boolean {
  const intent = params.payment?.payment_intent;
  return (
    (params.invoice ?? payment.invoice) === payment.invoice &&
    (params.status ?? payment.status) === payment.status &&
    (params.payment?.type ?? payment.payment.type) === payment.payment.type &&
    (intent ?? payment.payment.payment_intent) === payment.payment.payment_intent &&
    isWithin(payment.created, params.created)
  );
}

function pay(world: World, invoice: Invoice, params: z.output<typeof payFields>): Invoice {
  if (params.paid_out_of_band === true) return payOutOfBand(world, invoice);
  const chosenMethod =
    params.payment_method === undefined ? undefined : methodOf(world, invoice, params.payment_method);
  return payInvoice(world, invoice, { chosenMethod });
}

function methodOf(world: World, invoice: Invoice, id: string): PaymentMethod {
  const method = world.paymentMethods.get(id);
  if (method === undefined) throw resourceMissing('PaymentMethod', id, 'payment_method');
  if (method.customer !== invoice.customer) {
    throw refused('The payment method does not belong to the customer of this invoice.', {
      param: 'payment_method',
    });
  }
  return method;
}

function finalize(world: World, invoice: Invoice, autoAdvance: boolean | undefined): Invoice {
  if (autoAdvance !== undefined) invoice.auto_advance = autoAdvance;
  return finalizeAndCollect(world, invoice);
}

function updateInvoice(world: World, invoice: Invoice, params: z.output<typeof updateFields>): Invoice {
  if (params.auto_advance !== undefined && invoice.status !== 'open' && invoice.status !== 'draft') {
    throw refused('auto_advance can only be changed on draft and open invoices.', {
      code: 'invoice_not_editable',
    });
  }
  const before = snapshotOf(invoice);
  invoice.metadata = { ...invoice.metadata, ...params.metadata };
  invoice.description = params.description ?? invoice.description;
  invoice.default_payment_method = params.default_payment_method ?? invoice.default_payment_method;
  invoice.auto_advance = params.auto_advance ?? invoice.auto_advance ?? false;
  if (params.auto_advance === false) invoice.next_payment_attempt = null;
  if (params.auto_advance === true) resumeStripeRetries(world, invoice, collectAutomatically);
  if (params.auto_advance === true && invoice.status === 'draft') scheduleFinalization(world, invoice);
  publishUpdated(world, 'invoice.updated', invoice, before);
  return invoice;
}

/** Set to advance by itself, a draft is finalized an hour later and collected (stripe-facts 1.6). */
function scheduleFinalization(world: World, invoice: Invoice): void {
  world.due.add({
    atMs: world.clock.now().plus({ hours: 1 }).toMillis(),
    isCurrent: () => invoice.status === 'draft' && invoice.auto_advance === true,
    run: () => finalize(world, invoice, undefined),
  });
}
