import { nulls } from './nulls.ts';
import type {
  BankAccount,
  Charge,
  Invoice,
  InvoicePayment,
  PaymentAttemptRecord,
  PaymentIntent,
  PaymentMethod,
} from './wire.ts';

/** What an invoice, or part of it, is collected with. */
export function buildPaymentIntent(
  id: string,
  created: number,
  invoice: Pick<Invoice, 'currency' | 'customer' | 'on_behalf_of'>,
  amount: number,
): PaymentIntent {
  return {
    ...nulls('allowed_payment_method_types application application_fee_amount'),
    ...nulls('automatic_payment_methods canceled_at cancellation_reason customer_account'),
    ...nulls('excluded_payment_method_types last_payment_error latest_charge next_action'),
    ...nulls('payment_method payment_method_configuration_details payment_record'),
    ...nulls('processing receipt_email review shipping source statement_descriptor'),
    ...nulls('statement_descriptor_suffix transfer_data transfer_group'),
    id,
    object: 'payment_intent',
    amount,
    amount_capturable: 0,
    amount_received: 0,
    capture_method: 'automatic',
    client_secret: `${id}_secret_sandbox`,
    confirmation_method: 'automatic',
    created,
    currency: invoice.currency,
    customer: invoice.customer,
    description: 'Subscription update',
    livemode: false,
    managed_payments: { enabled: false },
    metadata: {},
    on_behalf_of: invoice.on_behalf_of,
    payment_method_options: {},
    payment_method_types: ['card', 'link', 'us_bank_account', 'sepa_debit', 'bacs_debit'],
    setup_future_usage: 'off_session',
    status: 'requires_payment_method',
  };
}

/** `is_default`: the one that is made when the invoice is finalized. */
export function buildInvoicePayment(
  fields: Pick<InvoicePayment, 'id' | 'amount_requested' | 'created' | 'is_default' | 'payment'>,
  invoice: Invoice,
): InvoicePayment {
  return {
    ...fields,
    object: 'invoice_payment',
    amount_paid: null,
    currency: invoice.currency,
    invoice: invoice.id,
    livemode: false,
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  };
}

/** The reported part of an invoice's payment outside of Stripe. */
export function buildAttemptRecord(
  { id, amount_paid, amount_requested, created, currency, payment }: InvoicePayment,
  customer: string | null,
): PaymentAttemptRecord {
  const of = (value: number) => ({ currency, value });
  return {
    ...nulls('application description shipping_details'),
    id: id.replace(/^inpay/, 'par'),
    object: 'payment_attempt_record',
    amount: of(amount_requested),
    amount_authorized: of(0),
    amount_canceled: of(0),
    amount_failed: of(0),
    amount_refunded: of(0),
    amount_guaranteed: of(amount_paid ?? 0),
    amount_requested: of(amount_requested),
    created,
    customer_details: { customer, ...nulls('email name phone') },
    customer_presence: 'off_session',
    livemode: false,
    metadata: {},
    payment_method_details: { type: 'custom', payment_method: null, billing_details: null },
    payment_record: String(payment.payment_record),
    processor_details: { type: 'custom' },
    reported_by: 'self',
  };
}

interface ChargeOf {
  paymentIntent: PaymentIntent;
  method: PaymentMethod;
  /** The mandate that authorizes a debit, or an Indian card. */
  mandate: string | null;
}

export function buildCharge(
  fields: Pick<Charge, 'id' | 'created' | 'failure_code' | 'failure_message' | 'outcome' | 'status'>,
  of: ChargeOf,
): Charge {
  const { paymentIntent, method } = of;
  return {
    ...nulls('application application_fee application_fee_amount balance_transaction'),
    ...nulls('failure_balance_transaction receipt_email receipt_number receipt_url'),
    ...nulls('review shipping source source_transfer statement_descriptor'),
    ...nulls('statement_descriptor_suffix transfer_data transfer_group'),
    ...fields,
    object: 'charge',
    amount: paymentIntent.amount,
    amount_captured: fields.status === 'succeeded' ? paymentIntent.amount : 0,
    amount_refunded: 0,
    billing_details: method.billing_details,
    calculated_statement_descriptor: 'SANDBOX',
    captured: fields.status !== 'failed',
    currency: paymentIntent.currency,
    customer: paymentIntent.customer,
    description: paymentIntent.description,
    disputed: false,
    fraud_details: {},
    livemode: false,
    metadata: {},
    on_behalf_of: paymentIntent.on_behalf_of,
    paid: fields.status === 'succeeded',
    payment_intent: paymentIntent.id,
    payment_method: method.id,
    payment_method_details: paymentMethodDetails(of),
    refunded: false,
  };
}

type Details = NonNullable<Charge['payment_method_details']>;

function paymentMethodDetails({ method, mandate, paymentIntent }: ChargeOf): Details {
  const { card, us_bank_account: ach, sepa_debit: sepa, bacs_debit: bacs, paypal, type } = method;
  if (isSource(method) && ach)
    return { type: 'ach_debit', ach_debit: { ...achOnCharge(ach, undefined), country: 'US' } };
  const given = mandate === null ? {} : { mandate };
  return {
    type,
    ...(card && { card: cardOnCharge(card, paymentIntent.amount, mandate) }),
    ...(ach && { us_bank_account: achOnCharge(ach, mandate ?? undefined) }),
    ...(sepa && { sepa_debit: sepaOnCharge(sepa, mandate) }),
    ...(bacs && { bacs_debit: { ...bacs, mandate } }),
    ...(method.acss_debit && { acss_debit: { ...method.acss_debit, ...given } }),
    ...(method.au_becs_debit && { au_becs_debit: { ...method.au_becs_debit, ...given } }),
    ...(method.link && { link: { country: 'US' } }),
    ...(paypal && {
      paypal: { ...paypal, ...nulls('payer_name seller_protection transaction_id') },
    }),
  };
}

function cardOnCharge(
  card: NonNullable<PaymentMethod['card']>,
  amount: number,
  mandate: string | null,
): NonNullable<Details['card']> {
  const { brand, checks, country, exp_month, exp_year, funding, last4, regulated_status } = card;
  return {
    ...nulls('authorization_code electronic_commerce_indicator installments'),
    ...nulls('network_token network_transaction_id three_d_secure transaction_link_id'),
    brand,
    checks,
    country,
    exp_month,
    exp_year,
    funding,
    last4,
    regulated_status,
    amount_authorized: amount,
    fingerprint: card.fingerprint ?? null,
    mandate,
    network: brand,
    wallet: card.wallet && { type: card.wallet.type, dynamic_last4: card.wallet.dynamic_last4 },
  };
}

function achOnCharge(
  account: NonNullable<PaymentMethod['us_bank_account']>,
  mandate: string | undefined,
): NonNullable<Details['us_bank_account']> {
  const { account_holder_type, account_type, bank_name, fingerprint, last4, routing_number } = account;
  return {
    account_holder_type,
    account_type,
    bank_name,
    fingerprint,
    last4,
    routing_number,
    payment_reference: null,
    ...(mandate === undefined ? {} : { mandate }),
  };
}

function sepaOnCharge(
  account: NonNullable<PaymentMethod['sepa_debit']>,
  mandate: string | null,
): NonNullable<Details['sepa_debit']> {
  const { bank_code, branch_code, country, fingerprint, last4 } = account;
  return { bank_code, branch_code, country, fingerprint, last4, mandate };
}

/** Bank accounts from before there were payment methods. Inside the sandbox they are payment methods with an id of their own. */
export function isSource({ id }: Pick<PaymentMethod, 'id'>): boolean {
  return id.startsWith('ba_');
}

export function buildBankAccount(method: PaymentMethod): BankAccount {
  const account = method.us_bank_account;
  return {
    ...nulls('account account_holder_name account_holder_type account_type'),
    id: method.id,
    object: 'bank_account',
    bank_name: account?.bank_name ?? null,
    country: 'US',
    currency: 'usd',
    customer: method.customer,
    fingerprint: account?.fingerprint ?? null,
    last4: account?.last4 ?? '',
    routing_number: account?.routing_number ?? null,
    status: 'verified',
  };
}
