import { isSource } from './build-source.ts';
import type { Charge, Invoice, InvoicePayment, PaymentIntent, PaymentMethod } from './wire.ts';

/** The one payment intent an invoice is collected with. */
export function buildPaymentIntent(id: string, created: number, invoice: Invoice): PaymentIntent {
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: invoice.amount_due,
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic',
    client_secret: `${id}_secret_sandbox`,
    confirmation_method: 'automatic',
    created,
    currency: invoice.currency,
    customer: invoice.customer,
    customer_account: null,
    description: 'Subscription update',
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: { enabled: false },
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card', 'us_bank_account', 'sepa_debit', 'bacs_debit'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: 'off_session',
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
  };
}

export function buildInvoicePayment(
  id: string,
  created: number,
  invoice: Invoice,
  paymentIntent: string,
): InvoicePayment {
  return {
    id,
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: paymentIntent, type: 'payment_intent' },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  };
}

export interface ChargeFields {
  id: string;
  created: number;
  paymentIntent: PaymentIntent;
  method: PaymentMethod;
  status: 'succeeded' | 'failed' | 'pending';
  failure: { code: string; message: string } | null;
  outcome: NonNullable<Charge['outcome']>;
}

export function buildCharge(fields: ChargeFields): Charge {
  const { paymentIntent, method, status } = fields;
  return {
    id: fields.id,
    object: 'charge',
    amount: paymentIntent.amount,
    amount_captured: status === 'succeeded' ? paymentIntent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: 'SANDBOX',
    captured: status !== 'failed',
    created: fields.created,
    currency: paymentIntent.currency,
    customer: paymentIntent.customer,
    description: paymentIntent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: fields.failure?.code ?? null,
    failure_message: fields.failure?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: {},
    on_behalf_of: null,
    outcome: fields.outcome,
    paid: status === 'succeeded',
    payment_intent: paymentIntent.id,
    payment_method: method.id,
    payment_method_details: paymentMethodDetails(method, paymentIntent.amount),
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status,
    transfer_data: null,
    transfer_group: null,
  };
}

type Details = NonNullable<Charge['payment_method_details']>;

function paymentMethodDetails(method: PaymentMethod, amount: number): Details {
  const { us_bank_account: ach, sepa_debit: sepa, bacs_debit: bacs } = method;
  if (isSource(method) && ach)
    return { type: 'ach_debit', ach_debit: { ...achOnCharge(ach), country: 'US' } };
  return {
    type: method.type,
    ...(method.card === undefined ? {} : { card: cardOnCharge(method.card, amount) }),
    ...(ach === undefined ? {} : { us_bank_account: achOnCharge(ach) }),
    ...(sepa === undefined ? {} : { sepa_debit: sepaOnCharge(sepa) }),
    ...(bacs === undefined ? {} : { bacs_debit: { ...bacs, mandate: null } }),
  };
}

function cardOnCharge(
  card: NonNullable<PaymentMethod['card']>,
  amount: number,
): NonNullable<Details['card']> {
  return {
    amount_authorized: amount,
    authorization_code: null,
    brand: card.brand,
    checks: card.checks,
    country: card.country,
    electronic_commerce_indicator: null,
    exp_month: card.exp_month,
    exp_year: card.exp_year,
    fingerprint: card.fingerprint ?? null,
    funding: card.funding,
    installments: null,
    last4: card.last4,
    mandate: null,
    network: card.brand,
    network_token: null,
    network_transaction_id: null,
    regulated_status: card.regulated_status,
    three_d_secure: null,
    transaction_link_id: null,
    wallet: null,
  };
}

function achOnCharge(
  account: NonNullable<PaymentMethod['us_bank_account']>,
): NonNullable<Details['us_bank_account']> {
  return {
    account_holder_type: account.account_holder_type,
    account_type: account.account_type,
    bank_name: account.bank_name,
    fingerprint: account.fingerprint,
    last4: account.last4,
    payment_reference: null,
    routing_number: account.routing_number,
  };
}

function sepaOnCharge(account: NonNullable<PaymentMethod['sepa_debit']>): NonNullable<Details['sepa_debit']> {
  return {
    bank_code: account.bank_code,
    branch_code: account.branch_code,
    country: account.country,
    fingerprint: account.fingerprint,
    last4: account.last4,
    mandate: null,
  };
}
