import { z } from 'zod';
import { refused, resourceMissing, retrieve } from '../api-error.ts';
import { collectAutomatically, payInvoice, payOutOfBand } from '../billing/collect-invoice.ts';
import { markUncollectible } from '../billing/give-up-invoice.ts';
import { voidInvoice } from '../billing/invoice-lifecycle.ts';
import { finalizeAndCollect, scheduleFinalization } from '../billing/one-off-invoice.ts';
import { attachPayment } from '../billing/part-payments.ts';
import { resumeStripeRetries } from '../billing/stripe-retries.ts';
import { buildAttemptRecord, isSource } from '../objects/build-payment.ts';
import {
  type Invoice,
  type InvoicePayment,
  listOf,
  type PaymentAttemptRecord,
  type PaymentMethod,
} from '../objects/wire.ts';
import { publishUpdated, snapshotOf } from '../publish-event.ts';
import { subscriptionOf, type World } from '../sandbox-world.ts';
import { getIntent } from './charge-routes.ts';
import { formBoolean, formMetadata, formTimeFilter, isWithin, PAGE_PARAMETERS } from './form-parameters.ts';
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
  source: text,
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
  route(
    'post',
    '/v1/invoices/:id/attach_payment',
    z.strictObject({ payment_intent: z.string() }),
    (world, id, params) =>
      attachPayment(world, getInvoice(world, id), getIntent(world, params.payment_intent)),
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
  route(
    'get',
    '/v1/payment_attempt_records',
    z.strictObject({ payment_record: z.string() }),
    (world, _id, { payment_record: record }) =>
      listOf('/v1/payment_attempt_records', listAttemptRecords(world, record)),
  ),
  route('get', '/v1/payment_attempt_records/:id', none, (world, id) => {
    const payment = world.invoicePayments.get(id.replace(/^par/, 'inpay'));
    if (payment?.payment.type !== 'payment_record') throw resourceMissing('payment_attempt_record', id);
    return toAttemptRecord(world, payment);
  }),
];

export function getInvoice(world: World, id: string): Invoice {
  return retrieve(world.invoices, 'invoice', id);
}

function getInvoicePaymentById(world: World, id: string): InvoicePayment {
  return retrieve(world.invoicePayments, 'invoice_payment', id);
}

function listAttemptRecords(world: World, record: string): PaymentAttemptRecord[] {
  return [...world.invoicePayments.newestFirst()]
    .filter(({ payment }) => payment.payment_record === record)
    .map((payment) => toAttemptRecord(world, payment));
}

function toAttemptRecord(world: World, payment: InvoicePayment): PaymentAttemptRecord {
  return buildAttemptRecord(payment, world.invoices.get(String(payment.invoice))?.customer ?? null);
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
  const { payment_method: id = params.source } = params;
  const param = id === params.source ? 'source' : 'payment_method';
  const chosenMethod = id === undefined ? undefined : methodOf(world, invoice, { id, param });
  return payInvoice(world, invoice, { chosenMethod });
}

function methodOf(
  world: World,
  invoice: Invoice,
  { id, param }: { id: string; param: 'payment_method' | 'source' },
): PaymentMethod {
  const method = world.paymentMethods.get(id);
  const what = param === 'source' ? 'source' : 'PaymentMethod';
  if (method === undefined || isSource(method) !== (param === 'source'))
    throw resourceMissing(what, id, param);
  if (method.customer !== invoice.customer)
    throw refused(`The ${what} does not belong to the customer of this invoice.`, { param });
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
