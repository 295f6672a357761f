import { z } from 'zod';
import { retrieve } from '../api-error.ts';
import { createCreditNote, voidCreditNote } from '../billing/credit-notes.ts';
import { addInvoiceItem } from '../billing/invoice-items.ts';
import { createOneOff, deleteDraft } from '../billing/one-off-invoice.ts';
import { nulls } from '../objects/nulls.ts';
import type { CreditNote, InvoiceItem, TaxRate } from '../objects/wire.ts';
import { publish } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { getCustomer } from './customer-routes.ts';
import { formBoolean, formInteger, formMetadata, PAGE_PARAMETERS } from './form-parameters.ts';
import { getInvoice } from './invoice-routes.ts';
import { firstGiven, listPage, type Route, route } from './route.ts';

const none = z.strictObject({});
const text = z.string().optional();
const invoiceFields = z.strictObject({
  customer: z.string(),
  currency: text,
  auto_advance: formBoolean.optional(),
  collection_method: z.enum(['charge_automatically', 'send_invoice']).optional(),
  days_until_due: formInteger.optional(),
  default_payment_method: text,
  default_tax_rates: z.array(z.string()).optional(),
  description: text,
  metadata: formMetadata.optional(),
  on_behalf_of: text,
  pending_invoice_items_behavior: z.enum(['include', 'exclude']).optional(),
});
const itemFields = z.strictObject({
  customer: z.string(),
  amount: formInteger,
  currency: z.string(),
  description: text,
  subscription: text,
});
const itemList = z.strictObject({
  ...PAGE_PARAMETERS,
  customer: text,
  invoice: text,
  pending: formBoolean.optional(),
});
const creditNoteFields = z.strictObject({
  invoice: z.string(),
  amount: formInteger,
  refund_amount: formInteger.optional(),
  credit_amount: formInteger.optional(),
  out_of_band_amount: formInteger.optional(),
  reason: text,
  memo: text,
});
const taxRateFields = z.strictObject({
  display_name: z.string(),
  percentage: z.string().transform(Number),
  inclusive: formBoolean,
});

/** Invoices that no subscription made, and what stands on invoices besides subscription items. */
export const INVOICE_ITEM_ROUTES: readonly Route[] = [
  route('post', '/v1/invoices', invoiceFields, (world, _id, { customer, ...input }) =>
    createOneOff(world, getCustomer(world, customer), input),
  ),
  route('delete', '/v1/invoices/:id', none, (world, id) => deleteDraft(world, getInvoice(world, id))),
  route('post', '/v1/invoiceitems', itemFields, (world, _id, input) =>
    addInvoiceItem(world, { ...input, customer: getCustomer(world, input.customer).id }),
  ),
  route('get', '/v1/invoiceitems', itemList, (world, _id, params) =>
    listPage(world.invoiceItems, params, {
      url: '/v1/invoiceitems',
      within: firstGiven({ customer: params.customer }),
      matches: ({ invoice }) =>
        (params.invoice ?? invoice) === invoice &&
        (params.pending ?? invoice === null) === (invoice === null),
    }),
  ),
  route('get', '/v1/invoiceitems/:id', none, getItem),
  route('delete', '/v1/invoiceitems/:id', none, (world, id) => {
    const item = getItem(world, id);
    world.invoiceItems.remove(id);
    publish(world, 'invoiceitem.deleted', item);
    return { id, object: 'invoiceitem', deleted: true };
  }),
  route('post', '/v1/credit_notes', creditNoteFields, (world, _id, { invoice, ...input }) =>
    createCreditNote(world, getInvoice(world, invoice), input),
  ),
  route('get', '/v1/credit_notes/:id', none, getCreditNote),
  route('post', '/v1/credit_notes/:id/void', none, (world, id) =>
    voidCreditNote(world, getCreditNote(world, id)),
  ),
  route('post', '/v1/tax_rates', taxRateFields, (world, _id, input) => createTaxRate(world, input)),
];

function getItem(world: World, id: string): InvoiceItem {
  return retrieve(world.invoiceItems, 'invoiceitem', id);
}

function getCreditNote(world: World, id: string): CreditNote {
  return retrieve(world.creditNotes, 'credit note', id);
}

export function createTaxRate(
  world: World,
  input: { display_name: string; percentage: number; inclusive: boolean },
): TaxRate {
  return world.taxRates.add({
    ...nulls('country description flat_amount jurisdiction jurisdiction_level rate_type state tax_type'),
    ...input,
    id: world.ids.next('txr'),
    object: 'tax_rate',
    active: true,
    created: unixNow(world),
    effective_percentage: input.percentage,
    livemode: false,
    metadata: {},
  });
}
