import { nulls } from './nulls.ts';
import {
  type Account,
  type Customer,
  type Invoice,
  type InvoiceLineItem,
  listOf,
  type Subscription,
  type TaxRate,
} from './wire.ts';

/** What an invoice takes over from its subscription, or is given. */
export type InvoiceTerms = Pick<
  Subscription,
  | 'collection_method'
  | 'currency'
  | 'days_until_due'
  | 'default_payment_method'
  | 'default_tax_rates'
  | 'description'
  | 'metadata'
  | 'on_behalf_of'
>;

export interface InvoiceFields {
  id: string;
  created: number;
  account: Account;
  customer: Customer;
  terms: InvoiceTerms;
  subscription: Subscription | undefined;
  billingReason: string;
  period: { start: number; end: number };
  lines: InvoiceLineItem[];
  autoAdvance: boolean;
  dueDate: number | null;
}

/** A draft; finalising gives it a number, a hosted page and a payment. */
export function buildInvoice(fields: InvoiceFields): Invoice {
  const { account, customer, terms, subscription, lines } = fields;
  const rates = customer.tax_exempt === 'none' ? (terms.default_tax_rates ?? []) : [];
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0);
  const taxes = rates.map((rate) => taxOf(rate, subtotal));
  return {
    ...nulls('automatically_finalizes_at effective_at hosted_invoice_url'),
    ...nulls('invoice_pdf next_payment_attempt number'),
    ...buildUnused(),
    ...buildAmounts(subtotal, taxes),
    total_taxes: taxes,
    id: fields.id,
    object: 'invoice',
    account_country: account.country ?? null,
    account_name: account.business_profile?.name ?? null,
    attempt_count: 0,
    attempted: false,
    auto_advance: fields.autoAdvance,
    automatic_tax: {
      ...nulls('disabled_reason liability provider status'),
      enabled: subscription?.automatic_tax.enabled ?? false,
    },
    billing_reason: fields.billingReason,
    collection_method: terms.collection_method,
    created: fields.created,
    currency: terms.currency,
    customer: customer.id,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_tax_exempt: customer.tax_exempt ?? 'none',
    default_payment_method: terms.default_payment_method,
    default_tax_rates: rates,
    description: terms.description,
    due_date: fields.dueDate,
    lines: listOf(`/v1/invoices/${fields.id}/lines`, lines),
    livemode: false,
    metadata: subscription === undefined ? terms.metadata : {},
    on_behalf_of: terms.on_behalf_of,
    parent: subscription === undefined ? null : parentOf(subscription),
    period_end: fields.period.end,
    period_start: fields.period.start,
    status: 'draft',
    status_transitions: {
      ...nulls('finalized_at marked_uncollectible_at paid_at voided_at'),
    },
    webhooks_delivered_at: fields.created,
  };
}

function parentOf({ id, metadata }: Subscription): Invoice['parent'] {
  return {
    quote_details: null,
    subscription_details: { metadata, subscription: id },
    type: 'subscription_details',
  };
}

type Taxes = NonNullable<Invoice['total_taxes']>;

/** Nothing of it is paid yet, and there are no discounts. */
export function buildAmounts<Given extends Taxes>(subtotal: number, taxes: Given) {
  const sumOf = (behavior: string) =>
    taxes.reduce((sum, tax) => (tax.tax_behavior === behavior ? sum + tax.amount : sum), 0);
  const total = subtotal + sumOf('exclusive');
  const totalWithoutTax = subtotal - sumOf('inclusive');
  return {
    amount_due: Math.max(total, 0),
    amount_overpaid: 0,
    amount_paid: 0,
    amount_paid_off_stripe: 0,
    amount_remaining: Math.max(total, 0),
    amount_shipping: 0,
    ending_balance: null,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    starting_balance: 0,
    subtotal,
    subtotal_excluding_tax: totalWithoutTax,
    total,
    total_discount_amounts: [],
    total_excluding_tax: totalWithoutTax,
    total_pretax_credit_amounts: [],
  };
}

function taxOf({ id, inclusive, percentage }: TaxRate, amount: number) {
  const share = inclusive ? percentage / (100 + percentage) : percentage / 100;
  return {
    amount: Math.round(amount * share),
    tax_behavior: inclusive ? 'inclusive' : 'exclusive',
    tax_rate_details: { tax_rate: id },
    taxability_reason: 'standard_rated',
    taxable_amount: amount,
    type: 'tax_rate_details',
  } as const;
}

/** What Stripe's object has besides, and nothing here uses. */
function buildUnused() {
  return {
    ...nulls('account_tax_ids application custom_fields customer_account customer_shipping'),
    ...nulls('default_source footer from_invoice last_finalization_error'),
    ...nulls('latest_revision receipt_number rendering shipping_cost'),
    ...nulls('shipping_details statement_descriptor test_clock'),
    customer_tax_ids: [],
    discounts: [],
    issuer: { type: 'self' },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
  };
}

type LineGiven = 'amount' | 'currency' | 'description' | 'id' | 'metadata' | 'parent' | 'period' | 'pricing';

/** Builds the line of a subscription item or of an invoice item. */
export function buildInvoiceLine(
  fields: Pick<InvoiceLineItem, LineGiven | 'discountable' | 'invoice' | 'quantity' | 'subscription'>,
): InvoiceLineItem {
  return {
    ...fields,
    object: 'line_item',
    discount_amounts: [],
    discounts: [],
    livemode: false,
    pretax_credit_amounts: [],
    quantity_decimal: fields.quantity === null ? null : String(fields.quantity),
    subtotal: fields.amount,
    taxes: [],
  };
}
