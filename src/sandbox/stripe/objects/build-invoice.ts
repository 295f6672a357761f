import {
  type Account,
  type Customer,
  type Invoice,
  type InvoiceLineItem,
  listOf,
  type Subscription,
  type SubscriptionItem,
} from './wire.ts';

export interface InvoiceFields {
  id: string;
  created: number;
  account: Account;
  customer: Customer;
  subscription: Subscription;
  billingReason: string;
  periodStart: number;
  periodEnd: number;
  lines: InvoiceLineItem[];
  autoAdvance: boolean;
  dueDate: number | null;
}

/** A draft; finalising gives it a number, a hosted page and a payment. */
export function buildInvoice(fields: InvoiceFields): Invoice {
  const { customer, subscription, lines } = fields;
  const total = lines.reduce((sum, line) => sum + line.amount, 0);
  return {
    id: fields.id,
    object: 'invoice',
    account_country: fields.account.country ?? null,
    account_name: fields.account.business_profile?.name ?? null,
    account_tax_ids: null,
    amount_due: total,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_paid_off_stripe: 0,
    amount_remaining: total,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: fields.autoAdvance,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: fields.billingReason,
    collection_method: subscription.collection_method,
    created: fields.created,
    currency: subscription.currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: fields.dueDate,
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: listOf(`/v1/invoices/${fields.id}/lines`, lines),
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: null,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details',
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: fields.periodEnd,
    period_start: fields.periodStart,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: 'draft',
    status_transitions: {
      finalized_at: null,
      marked_uncollectible_at: null,
      paid_at: null,
      voided_at: null,
    },
    subtotal: total,
    subtotal_excluding_tax: total,
    test_clock: null,
    total,
    total_discount_amounts: [],
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: fields.created,
  };
}

export interface InvoiceLineFields {
  id: string;
  invoice: string;
  item: SubscriptionItem;
  amount: number;
  currency: string;
  unitAmount: string | null;
  description: string;
}

export function buildInvoiceLine(fields: InvoiceLineFields): InvoiceLineItem {
  const { id, invoice, item, amount } = fields;
  const quantity = item.quantity ?? null;
  return {
    id,
    object: 'line_item',
    amount,
    currency: fields.currency,
    description: fields.description,
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice,
    livemode: false,
    metadata: item.metadata,
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: { credited_items: null },
        subscription: item.subscription,
        subscription_item: item.id,
      },
      type: 'subscription_item_details',
    },
    period: { start: item.current_period_start, end: item.current_period_end },
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: item.price.id, product: item.price.product },
      type: 'price_details',
      unit_amount_decimal: fields.unitAmount,
    },
    quantity,
    quantity_decimal: quantity === null ? null : String(quantity),
    subscription: item.subscription,
    subtotal: amount,
    taxes: [],
  };
}
