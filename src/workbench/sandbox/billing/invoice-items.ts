import { buildInvoiceLine } from '../objects/build-invoice.ts';
import { nulls } from '../objects/nulls.ts';
import type { InvoiceItem, InvoiceLineItem } from '../objects/wire.ts';
import { publish } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';

export interface InvoiceItemInput {
  customer: string;
  currency: string;
  /** Minor units; negative is a credit. */
  amount: number;
  description?: string | undefined;
  quantity?: number | undefined;
  subscription?: string | undefined;
  /** The subscription item of a proration. */
  subscriptionItem?: string | undefined;
  period?: { start: number; end: number } | undefined;
}

/** Pending until the next invoice of its subscription, or the invoice that takes it (stripe-facts 3.13). */
export function addInvoiceItem(world: World, input: InvoiceItemInput): InvoiceItem {
  const { customer, currency, amount, quantity = 1, subscription, subscriptionItem } = input;
  const now = unixNow(world);
  const item = world.invoiceItems.add({
    ...nulls('customer_account invoice'),
    id: world.ids.next('ii'),
    object: 'invoiceitem',
    amount,
    currency,
    customer,
    date: now,
    description: input.description ?? null,
    discountable: subscriptionItem === undefined,
    discounts: [],
    livemode: false,
    metadata: {},
    parent:
      subscription === undefined
        ? null
        : {
            type: 'subscription_details',
            subscription_details: {
              subscription,
              ...(subscriptionItem === undefined ? {} : { subscription_item: subscriptionItem }),
            },
          },
    period: input.period ?? { start: now, end: now },
    pricing: { type: 'price_details', unit_amount_decimal: String(amount / quantity) },
    proration: subscriptionItem !== undefined,
    quantity,
    quantity_decimal: String(quantity),
    tax_rates: [],
    test_clock: world.testClock,
  });
  publish(world, 'invoiceitem.created', item);
  return item;
}

/** The pending ones of a subscription; those that no subscription is named for, for null. */
export function pendingItems(world: World, customer: string, subscription: string | null): InvoiceItem[] {
  return [...world.invoiceItems.newestFirst({ index: 'customer', key: customer })]
    .filter((item) => item.invoice === null && subscriptionOfItem(item) === subscription)
    .reverse();
}

/** The line it becomes; it is pending no more. */
export function takeItem(world: World, item: InvoiceItem, invoice: string): InvoiceLineItem {
  item.invoice = invoice;
  const subscription = subscriptionOfItem(item);
  const { amount, currency, description, discountable, period, pricing, proration, quantity } = item;
  return buildInvoiceLine({
    amount,
    currency,
    description,
    discountable,
    invoice,
    period,
    pricing,
    quantity,
    subscription,
    id: world.ids.next('il'),
    metadata: {},
    parent: {
      type: 'invoice_item_details',
      invoice_item_details: { invoice_item: item.id, proration, proration_details: null, subscription },
      subscription_item_details: null,
    },
  });
}

function subscriptionOfItem({ parent }: InvoiceItem): string | null {
  return parent?.subscription_details?.subscription ?? null;
}
