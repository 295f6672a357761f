import { z } from 'zod';
import { refused, resourceMissing } from '../api-error.ts';
import { collectAutomatically, payInvoice, payOutOfBand } from '../billing/collect-invoice.ts';
import { markUncollectible } from '../billing/give-up-invoice.ts';
import { voidInvoice } from '../billing/invoice-lifecycle.ts';
import { finalizeAndCollect, scheduleFinalization } from '../billing/one-off-invoice.ts';
import { attachPayment } from '../billing/part-payments.ts';
import { resumeStripeRetries } from '../billing/stripe-retries.ts';
import type { Within } from '../collection.ts';
import { created, flag, isWithin, metadata, none, PAGE_PARAMETERS, text } from '../form-parameters.ts';
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
import { type Getter, listPage, type Resource, type Route, resource, route } from './route.ts';

const payFields = z.strictObject({
  payment_method: text,
  source: text,
  off_session: flag,
  paid_out_of_band: flag,
});
const updateFields = z.strictObject({
  auto_advance: flag,
  default_payment_method: text,
  description: text,
  metadata,
});
const paymentListFields = z.strictObject({
  ...PAGE_PARAMETERS,
  invoice: text,
  status: text,
  created,
  payment: z
    .strictObject({
      type: z.enum(['payment_intent', 'payment_record']),
      payment_intent: text,
      payment_record: text,
    })
    .optional(),
});

export const invoices: Resource<Invoice, 'customer' | 'subscription'> = resource(
  '/v1/invoices',
  'invoice',
  (world) => world.invoices,
);
export const getInvoice: Getter<Invoice> = invoices.get;
const payments = resource('/v1/invoice_payments', 'invoice_payment', (world) => world.invoicePayments);

export const INVOICE_ROUTES: readonly Route[] = [
  invoices.list(
    { customer: text, subscription: text, status: text, collection_method: text },
    {
      by: { subscription: 'subscription', customer: 'customer' },
      matches: { subscription: (invoice, wanted) => subscriptionOf(invoice) === wanted },
    },
  ),
  invoices.retrieve,
  invoices.act('', updateFields, updateInvoice),
  invoices.act('/pay', payFields, pay),
  invoices.act('/attach_payment', z.strictObject({ payment_intent: z.string() }), (world, invoice, params) =>
    attachPayment(world, invoice, getIntent(world, params.payment_intent)),
  ),
  invoices.act('/void', none, voidInvoice),
  invoices.act('/mark_uncollectible', none, (world, invoice) => markUncollectible(world, invoice)),
  invoices.act('/finalize', z.strictObject({ auto_advance: flag }), (world, invoice, params) => {
    invoice.auto_advance = params.auto_advance ?? invoice.auto_advance ?? false;
    return finalizeAndCollect(world, invoice);
  }),
  route('get', '/v1/invoice_payments', paymentListFields, (world, _id, params) =>
    listPage(world.invoicePayments, params, {
      url: '/v1/invoice_payments',
      within: indexOf(params),
      matches: (payment) => matchesPayment(payment, params),
    }),
  ),
  payments.retrieve,
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

function listAttemptRecords(world: World, record: string): PaymentAttemptRecord[] {
  return [...world.invoicePayments.newestFirst()]
    .filter(({ payment }) => payment.payment_record === record)
    .map((payment) => toAttemptRecord(world, payment));
}

function toAttemptRecord(world: World, payment: InvoicePayment): PaymentAttemptRecord {
  return buildAttemptRecord(payment, world.invoices.get(String(payment.invoice))?.customer ?? null);
}

type PaymentList = z.output<typeof paymentListFields>;

function indexOf({ invoice, payment }: PaymentList): Within<'invoice' | 'paymentIntent'> | undefined {
  if (invoice !== undefined) return { index: 'invoice', key: invoice };
  const intent = payment?.payment_intent;
  return intent === undefined ? undefined : { index: 'paymentIntent', key: intent };
}

function matchesPayment(payment: InvoicePayment, params: PaymentList): boolean {
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
