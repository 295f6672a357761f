/** Who pays and with what: customers and payment methods of API 2026-10-28.endive. */
import type Stripe from 'stripe';
import { CREATED } from './stripe-objects.ts';

/** A customer with an address in Berlin and, unless it is given, no default payment method. */
export function buildCustomer(
  method: string | Stripe.PaymentMethod | null = null,
  overrides: Partial<Stripe.Customer> = {},
): Stripe.Customer {
  return {
    id: 'cus_1Ada',
    object: 'customer',
    address: { city: null, country: 'DE', line1: null, line2: null, postal_code: null, state: null },
    balance: 0,
    created: CREATED,
    default_source: null,
    description: null,
    email: 'ada@example.com',
    invoice_settings: {
      custom_fields: null,
      default_payment_method: method,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: {},
    name: 'Ada Example',
    shipping: null,
    ...overrides,
  };
}

/** The Visa card `pm_1Visa` of that customer. */
export function buildPaymentMethod(
  overrides: Partial<Stripe.PaymentMethod> = {},
  fingerprint = 'fp_1',
): Stripe.PaymentMethod {
  return {
    id: 'pm_1Visa',
    object: 'payment_method',
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    card: {
      brand: 'visa',
      checks: null,
      country: 'US',
      display_brand: 'visa',
      exp_month: 12,
      exp_year: 2030,
      fingerprint,
      funding: 'credit',
      generated_from: null,
      last4: '4242',
      networks: null,
      regulated_status: null,
      three_d_secure_usage: null,
      wallet: null,
    },
    created: CREATED,
    customer: 'cus_1Ada',
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
    ...overrides,
  };
}
