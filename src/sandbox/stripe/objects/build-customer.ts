import type { Account, Address, Customer } from './wire.ts';

export interface CustomerInput {
  email?: string | null | undefined;
  name?: string | undefined;
  phone?: string | undefined;
  description?: string | undefined;
  address?: Partial<{ [Key in keyof Address]: Address[Key] | undefined }> | undefined;
  preferred_locales?: string[] | undefined;
  metadata?: Record<string, string> | undefined;
}

export function buildCustomer(id: string, created: number, input: CustomerInput): Customer {
  return {
    id,
    object: 'customer',
    address: input.address === undefined ? null : buildAddress(input.address),
    balance: 0,
    created,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: input.description ?? null,
    discount: null,
    email: input.email ?? null,
    invoice_prefix: id.slice(-8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: input.metadata ?? {},
    name: input.name ?? null,
    next_invoice_sequence: 1,
    phone: input.phone ?? null,
    preferred_locales: input.preferred_locales ?? [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
}

export function buildAddress(input: NonNullable<CustomerInput['address']>): Address {
  return {
    city: input.city ?? null,
    country: input.country ?? null,
    line1: input.line1 ?? null,
    line2: input.line2 ?? null,
    postal_code: input.postal_code ?? null,
    state: input.state ?? null,
  };
}

export function buildAccount(id: string, name: string): Account {
  return {
    id,
    object: 'account',
    business_profile: {
      annual_revenue: null,
      estimated_worker_count: null,
      mcc: null,
      minority_owned_business_designation: null,
      name,
      specified_commercial_transactions_act_url: null,
      support_address: null,
      support_email: null,
      support_phone: null,
      support_url: null,
      url: null,
    },
    business_type: 'company',
    charges_enabled: true,
    country: 'US',
    default_currency: 'usd',
    details_submitted: true,
    email: 'owner@example.com',
    metadata: {},
    payouts_enabled: true,
    type: 'standard',
  };
}
