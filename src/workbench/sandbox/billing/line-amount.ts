import type { PriceTier, SubscriptionItem } from '../objects/wire.ts';
import type { World } from '../sandbox-world.ts';

/** Twelve decimal places, as many as Stripe's decimal amounts have. */
const SCALE = 10n ** 12n;

/** Its quantity is the usage of a period. */
export function isMetered({ price }: SubscriptionItem): boolean {
  return price.recurring?.usage_type === 'metered';
}

/** What one subscription item costs per period, in minor units of the subscription's currency, rounded half up. */
export function lineAmount(world: World, item: SubscriptionItem, currency: string): number {
  const { price } = item;
  const option = world.currencyOptions.get(price.id)?.[currency];
  const tiers = (option && world.tiers.get(option)) ?? [];
  const quantity = packages(item.quantity ?? (isMetered(item) ? 0 : 1), price.transform_quantity);
  const scaled =
    price.billing_scheme === 'tiered'
      ? tieredAmount(BigInt(quantity), tiers, price.tiers_mode === 'volume')
      : scaledAmount(option?.unit_amount_decimal ?? null) * BigInt(quantity);
  return Number((scaled + SCALE / 2n) / SCALE);
}

function packages(quantity: number, transform: SubscriptionItem['price']['transform_quantity']): number {
  if (transform === null) return quantity;
  return transform.round === 'up'
    ? Math.ceil(quantity / transform.divide_by)
    : Math.floor(quantity / transform.divide_by);
}

function tieredAmount(quantity: bigint, tiers: PriceTier[], isVolume: boolean): bigint {
  let total = 0n;
  let below = 0n;
  for (const tier of tiers) {
    const upTo = tier.up_to === null ? quantity : BigInt(tier.up_to);
    const isLast = tier.up_to === null || quantity <= upTo;
    const flat = scaledAmount(tier.flat_amount_decimal);
    const unit = scaledAmount(tier.unit_amount_decimal);
    if (isVolume && isLast) return flat + unit * quantity;
    const inTier = (isLast ? quantity : upTo) - below;
    if (!isVolume && (inTier > 0n || below === 0n)) total += flat + unit * inTier;
    if (isLast) return total;
    below = upTo;
  }
  return total;
}

function scaledAmount(decimal: string | null): bigint {
  if (decimal === null) return 0n;
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * SCALE + BigInt(fraction.padEnd(12, '0').slice(0, 12));
}
