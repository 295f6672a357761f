import { z } from 'zod';
import { formBoolean, formInteger, integer, metadata, text } from '../form-parameters.ts';
import { nulls } from './nulls.ts';
import type { Plan, Price, PriceTier, Product } from './wire.ts';

export const productParameters = z.strictObject({ id: text, name: z.string(), metadata });
const tierFields = z.strictObject({
  up_to: z.union([z.literal('inf'), formInteger]),
  unit_amount: integer,
  unit_amount_decimal: text,
  flat_amount: integer,
  flat_amount_decimal: text,
});
const amountFields = {
  unit_amount: integer,
  unit_amount_decimal: text,
  tiers: z.array(tierFields).optional(),
  custom_unit_amount: z.strictObject({ enabled: formBoolean }).optional(),
};
export const priceParameters = z.strictObject({
  ...amountFields,
  currency: z.string(),
  /** Options by currency. */
  currency_options: z.record(z.string(), z.strictObject(amountFields)).optional(),
  product: text,
  product_data: productParameters.optional(),
  recurring: z
    .strictObject({
      interval: z.enum(['day', 'week', 'month', 'year']),
      interval_count: integer,
      usage_type: z.enum(['licensed', 'metered']).optional(),
      meter: text,
    })
    .optional(),
  billing_scheme: z.enum(['per_unit', 'tiered']).optional(),
  tiers_mode: z.enum(['graduated', 'volume']).optional(),
  transform_quantity: z.strictObject({ divide_by: formInteger, round: z.enum(['up', 'down']) }).optional(),
  nickname: text,
  lookup_key: text,
  metadata,
});

export type PriceInput = z.output<typeof priceParameters>;
export type ProductInput = z.output<typeof productParameters>;
type RecurringInput = NonNullable<PriceInput['recurring']>;
type CurrencyOptionInput = NonNullable<PriceInput['currency_options']>[string];
type TierInput = NonNullable<PriceInput['tiers']>[number];

export function buildPrice(id: string, created: number, input: PriceInput & { product: string }): Price {
  return {
    ...buildCurrencyOption(input),
    id,
    object: 'price',
    active: true,
    billing_scheme: input.billing_scheme ?? 'per_unit',
    created,
    currency: input.currency,
    livemode: false,
    lookup_key: input.lookup_key ?? null,
    metadata: input.metadata ?? {},
    nickname: input.nickname ?? null,
    product: input.product,
    recurring: input.recurring === undefined ? null : buildRecurring(input.recurring),
    tiers_mode: input.tiers_mode ?? null,
    transform_quantity: input.transform_quantity ?? null,
    type: input.recurring === undefined ? 'one_time' : 'recurring',
  };
}

/** An option stored next to the price, its own currency's included: shown only when expanded (stripe-facts 2.3). */
export function buildCurrencyOption(input: CurrencyOptionInput) {
  const { amount, decimal } = amountPair(input.unit_amount, input.unit_amount_decimal);
  return {
    custom_unit_amount: customUnitAmount(input),
    tax_behavior: 'unspecified' as const,
    unit_amount: amount,
    unit_amount_decimal: decimal,
  };
}

/** Tiers stored next to the price: Stripe shows them only when expanded (stripe-facts 2.3). */
export function buildTiers(tiers: TierInput[]): PriceTier[] {
  return tiers.map((tier) => {
    const unit = amountPair(tier.unit_amount, tier.unit_amount_decimal);
    const flat = amountPair(tier.flat_amount, tier.flat_amount_decimal);
    return {
      flat_amount: flat.amount,
      flat_amount_decimal: flat.decimal,
      unit_amount: unit.amount,
      unit_amount_decimal: unit.decimal,
      up_to: tier.up_to === 'inf' ? null : tier.up_to,
    };
  });
}

/** The legacy mirror of a price that subscription items still carry. */
export function buildPlan(price: Price): Plan {
  const { id, active, billing_scheme, created, currency, metadata, nickname, product, tiers_mode } = price;
  return {
    id,
    active,
    billing_scheme,
    created,
    currency,
    metadata,
    nickname,
    product,
    tiers_mode,
    object: 'plan',
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    interval: price.recurring?.interval ?? 'month',
    interval_count: price.recurring?.interval_count ?? 1,
    livemode: false,
    meter: price.recurring?.meter ?? null,
    transform_usage: price.transform_quantity,
    trial_period_days: null,
    usage_type: price.recurring?.usage_type ?? 'licensed',
  };
}

export function buildProduct(id: string, created: number, input: ProductInput): Product {
  return {
    ...nulls('default_price description package_dimensions shippable statement_descriptor'),
    ...nulls('tax_code tax_details unit_label url'),
    id,
    object: 'product',
    active: true,
    created,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: input.metadata ?? {},
    name: input.name,
    type: 'service',
    updated: created,
  };
}

function buildRecurring(input: RecurringInput): NonNullable<Price['recurring']> {
  return {
    interval: input.interval,
    interval_count: input.interval_count ?? 1,
    meter: input.meter ?? null,
    trial_period_days: null,
    usage_type: input.usage_type ?? 'licensed',
  };
}

function customUnitAmount(input: CurrencyOptionInput) {
  return input.custom_unit_amount?.enabled ? { maximum: null, minimum: null, preset: null } : null;
}

/** The integer field is null when the amount has a fraction (stripe-facts 2.3). */
function amountPair(amount: number | undefined, decimal: string | undefined) {
  if (amount !== undefined) return { amount, decimal: String(amount) };
  if (decimal === undefined) return { amount: null, decimal: null };
  return { amount: Number.isInteger(Number(decimal)) ? Number(decimal) : null, decimal };
}
