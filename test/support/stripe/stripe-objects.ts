/**
 * Whole Stripe objects of API 2026-10-28.endive, as the API answers them (decimals are Decimal objects).
 * `asWebhookPayload` gives the same object as an event carries it, with decimals as strings.
 */
import Stripe from 'stripe';

/** 2026-11-01T00:00:00Z */
export const CREATED = 1_793_491_200;
const MONTH_SECONDS = 30 * 86_400;

export function buildPrice(overrides: Partial<Stripe.Price> = {}): Stripe.Price {
  const unitAmount = overrides.unit_amount === undefined ? 2000 : overrides.unit_amount;
  return {
    id: 'price_1Basic',
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created: CREATED,
    currency: 'usd',
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: 'prod_Basic',
    recurring: {
      interval: 'month',
      interval_count: 1,
      meter: null,
      trial_period_days: null,
      usage_type: 'licensed',
    },
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: 'recurring',
    unit_amount: unitAmount,
    unit_amount_decimal: unitAmount === null ? null : Stripe.Decimal.from(unitAmount),
    ...overrides,
  };
}

/** A tier with only the parts that are named; `up_to` null is the last one. */
export function buildTier(overrides: Partial<Stripe.Price.Tier> = {}): Stripe.Price.Tier {
  return {
    flat_amount: null,
    flat_amount_decimal: null,
    unit_amount: null,
    unit_amount_decimal: null,
    up_to: null,
    ...overrides,
  };
}

export function buildItem(overrides: Partial<Stripe.SubscriptionItem> = {}): Stripe.SubscriptionItem {
  const price = overrides.price ?? buildPrice();
  return {
    id: 'si_1Basic',
    object: 'subscription_item',
    billing_thresholds: null,
    created: CREATED,
    current_period_end: CREATED + MONTH_SECONDS,
    current_period_start: CREATED,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planOf(price),
    price,
    quantity: 1,
    subscription: 'sub_1Basic',
    tax_rates: [],
    ...overrides,
  };
}

export function buildSubscription(overrides: Partial<Stripe.Subscription> = {}): Stripe.Subscription {
  return {
    id: 'sub_1Basic',
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: CREATED,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: null, type: 'flexible', updated_at: CREATED },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: CREATED,
    currency: 'usd',
    customer: 'cus_1Ada',
    customer_account: null,
    days_until_due: null,
    default_payment_method: 'pm_1Visa',
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: buildItems([buildItem()]),
    latest_invoice: 'in_1Basic',
    livemode: false,
    managed_payments: null,
    metadata: {},
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: CREATED,
    status: 'active',
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' },
    },
    trial_start: null,
    ...overrides,
  };
}

/** The `items` list of a subscription. */
export function buildItems(
  data: Stripe.SubscriptionItem[],
  hasMore = false,
): Stripe.ApiList<Stripe.SubscriptionItem> {
  return { object: 'list', data, has_more: hasMore, url: '/v1/subscription_items?subscription=sub_1Basic' };
}

export function buildInvoice(overrides: Partial<Stripe.Invoice> = {}): Stripe.Invoice {
  return {
    id: 'in_1Basic',
    object: 'invoice',
    account_country: 'US',
    account_name: 'Example Ltd',
    account_tax_ids: null,
    amount_due: 2000,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: 2000,
    amount_shipping: 0,
    application: null,
    attempt_count: 1,
    attempted: true,
    auto_advance: true,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: 'subscription_cycle',
    collection_method: 'charge_automatically',
    created: CREATED,
    currency: 'usd',
    custom_fields: null,
    customer: 'cus_1Ada',
    customer_account: null,
    customer_address: null,
    customer_email: 'ada@example.com',
    customer_name: 'Ada Example',
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    effective_at: CREATED + 3600,
    ending_balance: 0,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: 'https://invoice.example.com/i/in_1Basic',
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: { object: 'list', data: [], has_more: false, url: '/v1/invoices/in_1Basic/lines' },
    livemode: false,
    metadata: {},
    next_payment_attempt: CREATED + 3 * 86_400,
    number: 'EX-0001',
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: {}, subscription: 'sub_1Basic' },
      type: 'subscription_details',
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: CREATED,
    period_start: CREATED - MONTH_SECONDS,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: 'open',
    status_transitions: {
      finalized_at: CREATED + 3600,
      marked_uncollectible_at: null,
      paid_at: null,
      voided_at: null,
    },
    subtotal: 2000,
    subtotal_excluding_tax: 2000,
    test_clock: null,
    total: 2000,
    total_discount_amounts: [],
    total_excluding_tax: 2000,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: CREATED,
    ...overrides,
  };
}

/** The object as a webhook carries it: through JSON, so decimals are strings (stripe-facts 2.5). */
export function asWebhookPayload<T>(object: T): T {
  return JSON.parse(JSON.stringify(object));
}

/** Items still carry the older `plan` beside the price. */
function planOf(price: Stripe.Price): Stripe.Plan {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval ?? 'month',
    interval_count: price.recurring?.interval_count ?? 1,
    livemode: price.livemode,
    metadata: {},
    meter: price.recurring?.meter ?? null,
    nickname: null,
    product: 'prod_Basic',
    tiers_mode: price.tiers_mode,
    transform_usage: price.transform_quantity,
    trial_period_days: null,
    usage_type: price.recurring?.usage_type ?? 'licensed',
  };
}
