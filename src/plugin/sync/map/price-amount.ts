import { z } from 'zod';
import { describeIssue } from '../../../core/contract/contract.ts';
import type { Reason } from '../../reasons/reason.ts';
import { type MappingWarning, type Unmappable, unmappable } from './fit-message.ts';
import { decimalAmount, wholeAmount } from './fixed-amount.ts';
import { currencyCode } from './stripe-parts.ts';

/** A tier of a price; the last one has no upper bound (stripe-facts 2.3). */
const tierParts = z.object({
  up_to: z.int().positive().nullish(),
  unit_amount: wholeAmount.nullish(),
  unit_amount_decimal: decimalAmount.nullish(),
  flat_amount: wholeAmount.nullish(),
  flat_amount_decimal: decimalAmount.nullish(),
});
type Tier = z.infer<typeof tierParts>;

const amountParts = z.object({
  unit_amount: wholeAmount.nullish(),
  unit_amount_decimal: decimalAmount.nullish(),
  custom_unit_amount: z.unknown().optional(),
  tiers: z.array(tierParts).nullish(),
});
type AmountParts = z.infer<typeof amountParts>;

export const priceParts = amountParts.extend({
  id: z.string(),
  currency: currencyCode.nullish(),
  currency_options: z.record(z.string(), z.unknown()).nullish(),
  billing_scheme: z.string().nullish(),
  tiers_mode: z.string().nullish(),
  transform_quantity: z.object({ divide_by: z.int().positive(), round: z.string() }).nullish(),
  recurring: z
    .object({
      interval: z.string(),
      interval_count: z.int().positive(),
      usage_type: z.string().nullish(),
    })
    .nullish(),
});
export type PriceParts = z.infer<typeof priceParts>;

/** Why the amount is unknown: the object is incomplete, or reading it again would not help. */
export type Obstacle = { kind: 'incomplete_object'; reason: Reason } | Unmappable;

/** `scaled` counts 10^-12 minor units, unrounded. */
export type PriceAmount = { kind: 'amount'; scaled: bigint; warnings: MappingWarning[] } | Obstacle;

const ROUNDINGS: ReadonlyMap<string, (quantity: bigint, divisor: bigint) => bigint> = new Map([
  ['up', (quantity: bigint, divisor: bigint) => (quantity + divisor - 1n) / divisor],
  ['down', (quantity: bigint, divisor: bigint) => quantity / divisor],
]);

type SchemeRule = (price: PriceParts, amounts: AmountParts, quantity: bigint) => PriceAmount;

const SCHEME_RULES: ReadonlyMap<string, SchemeRule> = new Map([
  ['per_unit', perUnitAmount],
  ['tiered', tieredAmount],
]);

/** Amount of a licensed price for a cycle, in the subscription's currency (stripe-facts 2.3). Metered prices give 0. */
export function priceAmount(
  price: PriceParts,
  quantity: number | null | undefined,
  currency: string,
): PriceAmount {
  const usage = price.recurring?.usage_type ?? 'licensed';
  if (usage === 'metered') return amountOf(0n);
  if (usage !== 'licensed')
    return amountOf(0n, { code: 'unknown_usage_type', priceId: price.id, usageType: usage });

  const amounts = amountsIn(price, currency);
  if ('kind' in amounts) return amounts;
  const units = billedUnits(price, quantity ?? 1);
  if (units === undefined) return unknownPart(price, 'rounding', price.transform_quantity?.round);
  const scheme = price.billing_scheme ?? (price.tiers_mode ? 'tiered' : 'per_unit');
  const rule = SCHEME_RULES.get(scheme);
  if (!rule) return unknownPart(price, 'billing_scheme', scheme);
  const result = rule(price, amounts, units);
  if (result.kind !== 'amount' || typeof quantity === 'number') return result;
  return { ...result, warnings: [...result.warnings, { code: 'no_quantity', priceId: price.id }] };
}

/** The subscription's currency may be an expanded option of a multi-currency price. */
function amountsIn(price: PriceParts, currency: string): AmountParts | Obstacle {
  if (!price.currency || price.currency === currency) return price;
  const entry = Object.entries(price.currency_options ?? {}).find(
    ([code]) => code.toUpperCase() === currency,
  );
  if (!entry) {
    const { id: priceId, currency: priceCurrency } = price;
    return {
      kind: 'incomplete_object',
      reason: { code: 'price_not_in_currency', priceId, priceCurrency, currency },
    };
  }
  const option = amountParts.safeParse(entry[1]);
  return option.success
    ? option.data
    : unmappable({
        code: 'price_option_unreadable',
        priceId: price.id,
        problem: describeIssue(option.error),
      });
}

function billedUnits(price: PriceParts, quantity: number): bigint | undefined {
  if (!price.transform_quantity) return BigInt(quantity);
  const { divide_by, round } = price.transform_quantity;
  return ROUNDINGS.get(round)?.(BigInt(quantity), BigInt(divide_by));
}

function perUnitAmount(price: PriceParts, amounts: AmountParts, units: bigint): PriceAmount {
  const unit = amounts.unit_amount_decimal ?? amounts.unit_amount;
  if (typeof unit === 'bigint') return amountOf(unit * units);
  if (amounts.custom_unit_amount) {
    return amountOf(0n, { code: 'custom_amount', priceId: price.id });
  }
  return unmappable({ code: 'price_without_amount', priceId: price.id });
}

function tieredAmount(price: PriceParts, amounts: AmountParts, units: bigint): PriceAmount {
  if (!amounts.tiers)
    return { kind: 'incomplete_object', reason: { code: 'price_tiers_missing', priceId: price.id } };
  const rule = TIER_RULES.get(price.tiers_mode ?? '');
  if (!rule) return unknownPart(price, 'tiers_mode', price.tiers_mode);
  const scaled = rule(amounts.tiers, units);
  return scaled === undefined
    ? unmappable({ code: 'price_without_tier', priceId: price.id, units: String(units) })
    : amountOf(scaled);
}

function amountOf(scaled: bigint, ...warnings: MappingWarning[]): PriceAmount {
  return { kind: 'amount', scaled, warnings };
}

function unknownPart({ id }: PriceParts, part: string, value: string | null | undefined): Obstacle {
  return unmappable({ code: 'price_unknown', priceId: id, part, value: value ?? 'none' });
}

/** Price of a whole quantity; undefined if no tier covers it. */
type TierRule = (tiers: Tier[], quantity: bigint) => bigint | undefined;

const TIER_RULES: ReadonlyMap<string, TierRule> = new Map([
  ['graduated', graduatedAmount],
  ['volume', volumeAmount],
]);

/** Each tier prices its share of the quantity; its flat part is due once it is entered. */
function graduatedAmount(tiers: Tier[], quantity: bigint): bigint | undefined {
  let sum = 0n;
  let below = 0n;
  for (const tier of tiers) {
    const reached = reachOf(tier, quantity);
    if (reached < below) return undefined;
    sum += flatPart(tier) + unitPart(tier) * (reached - below);
    if (reached === quantity) return sum;
    below = reached;
  }
  return undefined;
}

/** The tier of the whole quantity prices all of it. */
function volumeAmount(tiers: Tier[], quantity: bigint): bigint | undefined {
  const tier = tiers.find((candidate) => reachOf(candidate, quantity) === quantity);
  return tier && flatPart(tier) + unitPart(tier) * quantity;
}

/** Quantity zero is in the first tier, whose flat part is a base fee. */
function reachOf(tier: Tier, quantity: bigint): bigint {
  const upTo = BigInt(tier.up_to ?? quantity);
  return upTo < quantity ? upTo : quantity;
}

/** The decimal form is exact; the whole form is null for fractions (stripe-facts 2.3). */
function unitPart(tier: Tier): bigint {
  return tier.unit_amount_decimal ?? tier.unit_amount ?? 0n;
}

function flatPart(tier: Tier): bigint {
  return tier.flat_amount_decimal ?? tier.flat_amount ?? 0n;
}
