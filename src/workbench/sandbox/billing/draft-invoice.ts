import { fromUnixSeconds } from '../../../core/base/clock.ts';
import { refused } from '../api-error.ts';
import {
  buildInvoice,
  buildInvoiceLine,
  type InvoiceFields,
  type InvoiceTerms,
} from '../objects/build-invoice.ts';
import type {
  Customer,
  Invoice,
  InvoiceItem,
  InvoiceLineItem,
  Subscription,
  SubscriptionItem,
} from '../objects/wire.ts';
import { publish } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { applyAutomaticTax } from './automatic-tax.ts';
import { type BillingPeriod, billingPeriodAt } from './billing-period.ts';
import { pendingItems, takeItem } from './invoice-items.ts';
import { isMetered, lineAmount } from './line-amount.ts';

export interface DraftOptions {
  billingReason: string;
  autoAdvance: boolean;
  /** True during a trial, when every line is free. */
  isFree?: boolean;
  /**
   * Lines to include; the beginning period, the usage of the one before and pending items by default. `rest` leaves out the
   * beginning period, `pending` the usage, too.
   */
  only?: 'rest' | 'pending';
}

/** A draft of what a subscription owes. */
export function draftInvoice(world: World, subscription: Subscription, options: DraftOptions): Invoice {
  const { billingReason, autoAdvance } = options;
  const period = invoicePeriod(world, subscription, billingReason);
  return addDraft(world, subscription, {
    billingReason,
    autoAdvance,
    period,
    subscription,
    terms: {
      ...subscription,
      // The method stays the subscription's: it is looked up when the invoice is charged (stripe-facts 3.6).
      default_payment_method: null,
      description: null,
    },
    linesOf: (invoice) => [
      ...periodLines(world, subscription, invoice, options),
      ...pendingItems(world, subscription.customer, subscription.id).map((item) =>
        takeItem(world, item, invoice),
      ),
    ],
  });
}

/** What an invoice of no subscription is about (stripe-facts 3.13). */
export function draftOneOff(
  world: World,
  customer: Customer,
  { terms, items, autoAdvance }: { terms: InvoiceTerms; items: readonly InvoiceItem[]; autoAdvance: boolean },
): Invoice {
  const now = unixNow(world);
  return addDraft(
    world,
    { customer: customer.id },
    {
      terms,
      autoAdvance,
      billingReason: 'manual',
      period: { start: now, end: now },
      subscription: undefined,
      linesOf: (invoice) => items.map((item) => takeItem(world, item, invoice)),
    },
  );
}

interface Draft
  extends Pick<InvoiceFields, 'terms' | 'subscription' | 'billingReason' | 'autoAdvance' | 'period'> {
  readonly linesOf: (invoice: string) => InvoiceLineItem[];
}

function addDraft(world: World, owner: { customer: string }, draft: Draft): Invoice {
  const customer = world.customers.get(owner.customer);
  if (customer === undefined) throw refused(`Customer ${owner.customer} was deleted.`);
  const id = world.ids.next('in');
  const created = unixNow(world);
  const { linesOf, ...fields } = draft;
  const invoice = world.invoices.add(
    buildInvoice({
      ...fields,
      id,
      created,
      account: world.account,
      customer,
      lines: linesOf(id),
      dueDate: dueDate(created, draft.terms),
    }),
  );
  invoice.test_clock = world.testClock;
  applyAutomaticTax(world, invoice);
  publish(world, 'invoice.created', invoice);
  return invoice;
}

function periodLines(
  world: World,
  subscription: Subscription,
  invoice: string,
  { billingReason, isFree = false, only }: DraftOptions,
): InvoiceLineItem[] {
  if (only === 'pending') return [];
  const isBeginning = (item: SubscriptionItem) => isMetered(item) && billingReason === 'subscription_create';
  const items = subscription.items.data.filter((item) => only === undefined || isMetered(item));
  return items.map((item) => {
    const { currency } = subscription;
    const unitAmount = world.currencyOptions.get(item.price.id)?.[currency]?.unit_amount_decimal ?? null;
    const product = world.products.get(item.price.product)?.name ?? 'Subscription';
    const billed = billedItem(world, subscription, item, only);
    return buildInvoiceLine({
      currency,
      discountable: true,
      invoice,
      metadata: item.metadata,
      subscription: subscription.id,
      id: world.ids.next('il'),
      amount: isFree || isBeginning(billed) ? 0 : lineAmount(world, billed, currency),
      description: describeLine(item, { product, currency, unitAmount, isFree }),
      parent: {
        type: 'subscription_item_details',
        invoice_item_details: null,
        subscription_item_details: {
          invoice_item: null,
          proration: false,
          proration_details: { credited_items: null },
          subscription: subscription.id,
          subscription_item: item.id,
        },
      },
      period: { start: billed.current_period_start, end: billed.current_period_end },
      pricing: {
        type: 'price_details',
        price_details: { price: item.price.id, product: item.price.product },
        unit_amount_decimal: unitAmount,
      },
      quantity: billed.quantity ?? null,
    });
  });
}

/** Usage is billed after its period and then restarts at zero (stripe-facts 3.13). */
function billedItem(
  world: World,
  subscription: Subscription,
  item: SubscriptionItem,
  only: DraftOptions['only'],
): SubscriptionItem {
  if (!isMetered(item)) return item;
  const quantity = world.usage.get(item.id) ?? 0;
  world.usage.delete(item.id);
  const past = only === 'rest' ? item.current_period_start : item.current_period_start - 1;
  const { start, end } = billingPeriodAt(past, subscription.billing_cycle_anchor, item.price.recurring);
  return { ...item, quantity, current_period_start: start, current_period_end: end };
}

/** `period_start` and `period_end` look back one period; without one, both are now. */
function invoicePeriod(world: World, subscription: Subscription, billingReason: string): BillingPeriod {
  const [first] = subscription.items.data;
  const now = unixNow(world);
  if (first === undefined || billingReason !== 'subscription_cycle') return { start: now, end: now };
  const anchor = subscription.billing_cycle_anchor;
  return billingPeriodAt(first.current_period_start - 1, anchor, first.price.recurring);
}

function dueDate(created: number, terms: InvoiceTerms): number | null {
  if (terms.collection_method !== 'send_invoice') return null;
  return Math.floor(
    fromUnixSeconds(created)
      .plus({ days: terms.days_until_due ?? 30 })
      .toSeconds(),
  );
}

/** The text of a subscription item's line in Stripe's words: `1 × Pro plan (at $29.00 / month)`, `Trial period for Pro plan`. */
function describeLine(
  { price, quantity }: SubscriptionItem,
  { product, currency, unitAmount, isFree }: LineWords,
): string {
  if (isFree) return `Trial period for ${product}`;
  const { interval = 'month', interval_count: count = 1 } = price.recurring ?? {};
  const money = new Intl.NumberFormat('en-US', { style: 'currency', currency, maximumFractionDigits: 12 });
  const digits = new Intl.NumberFormat('en-US', { style: 'currency', currency }).resolvedOptions();
  const amount = money.format(Number(unitAmount ?? 0) / 10 ** (digits.maximumFractionDigits ?? 2));
  const period = count === 1 ? `/ ${interval}` : `every ${count} ${interval}s`;
  const rate = unitAmount === null ? `Tier 1 ${period}` : `at ${amount} ${period}`;
  return `${quantity ?? 1} × ${product} (${rate})`;
}

interface LineWords {
  /** Its name. */
  readonly product: string;
  readonly currency: string;
  /** The smallest unit with its fraction; null where the price has tiers. */
  readonly unitAmount: string | null;
  readonly isFree: boolean;
}
