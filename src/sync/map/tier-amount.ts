import { z } from 'zod';
import { decimalAmount, wholeAmount } from './fixed-amount.ts';

/** One tier of a tiered price; the last one has no upper bound (stripe-facts 2.3). */
export const tierParts = z.object({
  up_to: z.int().positive().nullish(),
  unit_amount: wholeAmount.nullish(),
  unit_amount_decimal: decimalAmount.nullish(),
  flat_amount: wholeAmount.nullish(),
  flat_amount_decimal: decimalAmount.nullish(),
});
export type Tier = z.infer<typeof tierParts>;

/** The price of a whole quantity; undefined when the tiers do not cover it. */
type TierRule = (tiers: Tier[], quantity: bigint) => bigint | undefined;

export const TIER_RULES: ReadonlyMap<string, TierRule> = new Map([
  ['graduated', graduatedAmount],
  ['volume', volumeAmount],
]);

/** Each tier prices its own share of the quantity; its flat part is due once the tier is entered. */
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

/** The tier that holds the whole quantity prices all of it. */
function volumeAmount(tiers: Tier[], quantity: bigint): bigint | undefined {
  const tier = tiers.find((candidate) => reachOf(candidate, quantity) === quantity);
  return tier && flatPart(tier) + unitPart(tier) * quantity;
}

/** A quantity of zero lies in the first tier, so its flat part is charged: it is a base fee. */
function reachOf(tier: Tier, quantity: bigint): bigint {
  if (tier.up_to === null || tier.up_to === undefined) return quantity;
  const upTo = BigInt(tier.up_to);
  return upTo < quantity ? upTo : quantity;
}

/** The decimal form is always exact; the whole form is null for fractions (stripe-facts 2.3). */
function unitPart(tier: Tier): bigint {
  return tier.unit_amount_decimal ?? tier.unit_amount ?? 0n;
}

function flatPart(tier: Tier): bigint {
  return tier.flat_amount_decimal ?? tier.flat_amount ?? 0n;
}
