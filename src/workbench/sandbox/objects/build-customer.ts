import { z } from 'zod';
import { metadata, text } from '../form-parameters.ts';
import { nulls } from './nulls.ts';
import type { Account, Address, Customer } from './wire.ts';

export const customerParameters = z.strictObject({
  email: text,
  name: text,
  phone: text,
  description: text,
  address: z
    .strictObject({ city: text, country: text, line1: text, line2: text, postal_code: text, state: text })
    .optional(),
  preferred_locales: z.array(z.string()).optional(),
  metadata,
});

export type CustomerInput = z.output<typeof customerParameters>;

export function buildCustomer(id: string, created: number, input: CustomerInput): Customer {
  return {
    ...nulls('currency customer_account default_source discount shipping test_clock'),
    id,
    object: 'customer',
    address: input.address === undefined ? null : buildAddress(input.address),
    balance: 0,
    created,
    delinquent: false,
    description: input.description ?? null,
    email: input.email ?? null,
    invoice_prefix: id.slice(-8).toUpperCase(),
    invoice_settings: {
      ...nulls('custom_fields default_payment_method footer rendering_options'),
    },
    livemode: false,
    metadata: input.metadata ?? {},
    name: input.name ?? null,
    next_invoice_sequence: 1,
    phone: input.phone ?? null,
    preferred_locales: input.preferred_locales ?? [],
    tax_exempt: 'none',
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
      ...nulls('annual_revenue estimated_worker_count mcc minority_owned_business_designation'),
      ...nulls('specified_commercial_transactions_act_url support_address support_email'),
      ...nulls('support_phone support_url url'),
      name,
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
