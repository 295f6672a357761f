import { z } from 'zod';
import { createCreditNote, noteParameters, voidCreditNote } from '../billing/credit-notes.ts';
import { addInvoiceItem } from '../billing/invoice-items.ts';
import { createOneOff, deleteDraft, oneOffParameters } from '../billing/one-off-invoice.ts';
import { flag, formBoolean, formInteger, none, text } from '../form-parameters.ts';
import { nulls } from '../objects/nulls.ts';
import type { TaxRate } from '../objects/wire.ts';
import { publish } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { getCustomer } from './customer-routes.ts';
import { invoices } from './invoice-routes.ts';
import { type Route, resource, route } from './route.ts';

const itemFields = z.strictObject({
  customer: z.string(),
  amount: formInteger,
  currency: z.string(),
  description: text,
  subscription: text,
});
const taxRateFields = z.strictObject({
  display_name: z.string(),
  percentage: z.string().transform(Number),
  inclusive: formBoolean,
});

const items = resource('/v1/invoiceitems', 'invoiceitem', (world) => world.invoiceItems);
const notes = resource('/v1/credit_notes', 'credit note', (world) => world.creditNotes);

/** Invoices without a subscription, and invoice items. */
export const INVOICE_ITEM_ROUTES: readonly Route[] = [
  route(
    'post',
    '/v1/invoices',
    oneOffParameters.extend({ customer: z.string() }),
    (world, _id, { customer, ...input }) => createOneOff(world, getCustomer(world, customer), input),
  ),
  invoices.delete(none, deleteDraft),
  route('post', '/v1/invoiceitems', itemFields, (world, _id, input) =>
    addInvoiceItem(world, { ...input, customer: getCustomer(world, input.customer).id }),
  ),
  items.list(
    { customer: text, invoice: text, pending: flag },
    {
      by: { customer: 'customer' },
      matches: { pending: ({ invoice }, isPending) => isPending === (invoice === null) },
    },
  ),
  items.retrieve,
  items.delete(none, (world, item) => {
    world.invoiceItems.remove(item.id);
    publish(world, 'invoiceitem.deleted', item);
    return { id: item.id, object: 'invoiceitem', deleted: true };
  }),
  route(
    'post',
    '/v1/credit_notes',
    noteParameters.extend({ invoice: z.string() }),
    (world, _id, { invoice, ...input }) => createCreditNote(world, invoices.get(world, invoice), input),
  ),
  notes.retrieve,
  notes.act('/void', none, voidCreditNote),
  route('post', '/v1/tax_rates', taxRateFields, (world, _id, input) => createTaxRate(world, input)),
];

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
