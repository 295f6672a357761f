import type { BankAccountDetails, CardDetails, PaymentMethodDetails } from '../payment-behaviour.ts';
import { nulls } from './nulls.ts';
import type { PaymentMethod, SetupIntent } from './wire.ts';

export interface PaymentMethodInput {
  id: string;
  created: number;
  customer: string | null;
  details: PaymentMethodDetails;
}

export function buildPaymentMethod({ id, created, customer, details }: PaymentMethodInput): PaymentMethod {
  return {
    id,
    object: 'payment_method',
    allow_redisplay: 'always',
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    created,
    customer,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: details.type,
    ...buildPart(details),
  };
}

function buildPart(details: PaymentMethodDetails): Partial<PaymentMethod> {
  switch (details.type) {
    case 'card':
      return { card: buildCard(details) };
    case 'link':
      return { link: { email: details.email } };
    case 'paypal':
      return {
        paypal: { country: details.country, payer_email: details.email, payer_id: 'SANDBOXPAYER1' },
      };
    default:
      return BANK_PARTS[details.type](details);
  }
}

function buildCard(card: CardDetails): NonNullable<PaymentMethod['card']> {
  return {
    brand: card.brand,
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
    country: card.country,
    display_brand: card.brand,
    exp_month: card.expMonth,
    exp_year: card.expYear,
    fingerprint: card.fingerprint,
    funding: card.funding,
    generated_from: null,
    last4: card.last4,
    networks: { available: [card.brand], preferred: null },
    regulated_status: 'unregulated',
    three_d_secure_usage: { supported: true },
    wallet: buildWallet(card),
  };
}

function buildWallet({ wallet, last4 }: CardDetails): NonNullable<PaymentMethod['card']>['wallet'] {
  return wallet === undefined ? null : { type: wallet, dynamic_last4: last4, [wallet]: {} };
}

type BankPart = Pick<PaymentMethod, BankAccountDetails['type']>;

const BANK_PARTS: Record<BankAccountDetails['type'], (account: BankAccountDetails) => BankPart> = {
  us_bank_account: ({ fingerprint, last4 }) => ({
    us_bank_account: {
      account_holder_type: 'individual',
      account_type: 'checking',
      bank_name: 'STRIPE TEST BANK',
      financial_connections_account: null,
      fingerprint,
      last4,
      networks: { preferred: 'ach', supported: ['ach'] },
      routing_number: '110000000',
      status_details: null,
    },
  }),
  sepa_debit: ({ fingerprint, last4, country }) => ({
    sepa_debit: {
      bank_code: '37040044',
      branch_code: '',
      country,
      fingerprint,
      generated_from: { charge: null, setup_attempt: null },
      last4,
    },
  }),
  bacs_debit: ({ fingerprint, last4 }) => ({ bacs_debit: { fingerprint, last4, sort_code: '108800' } }),
  acss_debit: ({ fingerprint, last4 }) => ({
    acss_debit: {
      bank_name: 'STRIPE TEST BANK',
      fingerprint,
      institution_number: '000',
      last4,
      transit_number: '11000',
    },
  }),
  au_becs_debit: ({ fingerprint, last4 }) => ({
    au_becs_debit: { bsb_number: '000000', fingerprint, last4 },
  }),
};

/** The setup intent of a payment method that its customer must still verify, if any. */
export function buildSetupIntent(
  id: string,
  created: number,
  method: PaymentMethod,
  { usage, customer }: { usage: string; customer: string },
): SetupIntent {
  return {
    ...nulls('allowed_payment_method_types application automatic_payment_methods'),
    ...nulls('cancellation_reason customer_account description excluded_payment_method_types'),
    ...nulls('flow_directions last_setup_error latest_attempt next_action on_behalf_of'),
    ...nulls('payment_method_configuration_details payment_method_options single_use_mandate'),
    id,
    object: 'setup_intent',
    client_secret: `${id}_secret_sandbox`,
    created,
    customer,
    livemode: false,
    mandate: null,
    metadata: {},
    payment_method: method.id,
    payment_method_types: [method.type],
    status: 'requires_action',
    usage,
  };
}
