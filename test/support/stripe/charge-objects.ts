/** Whole charges of API 2026-10-28.endive, beside `stripe-objects.ts`. */
import type Stripe from 'stripe';
import { CREATED } from './stripe-objects.ts';

/** A card charge that the issuer declined for insufficient funds. */
export function buildCharge(overrides: Partial<Stripe.Charge> = {}): Stripe.Charge {
  return {
    id: 'ch_1Basic',
    object: 'charge',
    amount: 2000,
    amount_captured: 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: {
      address: null,
      email: 'ada@example.com',
      name: 'Ada Example',
      phone: null,
      tax_id: null,
    },
    calculated_statement_descriptor: 'EXAMPLE LTD',
    captured: false,
    created: CREATED + 3700,
    currency: 'usd',
    customer: 'cus_1Ada',
    description: 'Subscription update',
    disputed: false,
    failure_balance_transaction: null,
    failure_code: 'card_declined',
    failure_message: 'Your card has insufficient funds.',
    fraud_details: {},
    livemode: false,
    metadata: {},
    on_behalf_of: null,
    outcome: buildOutcome(),
    paid: false,
    payment_intent: 'pi_1Basic',
    payment_method: 'pm_1Visa',
    payment_method_details: { card: buildCard(), type: 'card' },
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
    status: 'failed',
    transfer_data: null,
    transfer_group: null,
    ...overrides,
  };
}

export function buildOutcome(overrides: Partial<Stripe.Charge.Outcome> = {}): Stripe.Charge.Outcome {
  return {
    advice_code: 'try_again_later',
    network_advice_code: null,
    network_decline_code: '51',
    network_status: 'declined_by_network',
    reason: 'insufficient_funds',
    risk_level: 'normal',
    seller_message: 'The bank returned the decline code `insufficient_funds`.',
    type: 'issuer_declined',
    ...overrides,
  };
}

export function buildCard(
  overrides: Partial<Stripe.Charge.PaymentMethodDetails.Card> = {},
): Stripe.Charge.PaymentMethodDetails.Card {
  return {
    amount_authorized: null,
    authorization_code: null,
    brand: 'visa',
    checks: { address_line1_check: null, address_postal_code_check: 'pass', cvc_check: null },
    country: 'US',
    electronic_commerce_indicator: null,
    exp_month: 12,
    exp_year: 2030,
    fingerprint: 'Xt5EWLLDS7FJjR1c',
    funding: 'credit',
    installments: null,
    last4: '0341',
    mandate: null,
    network: 'visa',
    network_transaction_id: null,
    regulated_status: 'unregulated',
    three_d_secure: null,
    transaction_link_id: null,
    wallet: null,
    ...overrides,
  };
}
