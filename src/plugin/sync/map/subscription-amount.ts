import { z } from 'zod';
import { type MappingWarning, unmappable } from './fit-message.ts';
import { toMinorUnits } from './fixed-amount.ts';
import { type Obstacle, type PriceParts, priceAmount, priceParts } from './price-amount.ts';
import { looseTime } from './stripe-parts.ts';

export const itemParts = z.object({
  id: z.string(),
  created: z.number().nullish().catch(null),
  quantity: z.int().nonnegative().nullish(),
  current_period_end: looseTime,
  // Extension of the contract.
  billed_until: looseTime,
  price: priceParts,
});
export type ItemParts = z.infer<typeof itemParts>;

interface PricedItem {
  item: ItemParts;
  period: NonNullable<PriceParts['recurring']>;
  scaled: bigint;
}

export type SubscriptionAmount =
  | { kind: 'amount'; amount: number; primary: Omit<PricedItem, 'scaled'>; warnings: MappingWarning[] }
  | Obstacle;

/**
 * Price of a cycle in minor units: the licensed items with the primary item's period, rounded once. Primary is the item that renews most
 * often, whose payment fails next; then the largest amount, the oldest, the smallest id.
 */
export function subscriptionAmount(items: ItemParts[], currency: string): SubscriptionAmount {
  const priced = priceItems(items, currency);
  if ('kind' in priced) return priced;
  const primary = priced.items.toSorted(byRank)[0];
  if (!primary) return unmappable({ code: 'no_recurring_price' });

  const total = priced.items
    .filter(({ period }) => isSamePeriod(period, primary.period))
    .reduce((sum, { scaled }) => sum + scaled, 0n);
  const amount = toMinorUnits(total);
  if (amount === undefined) return unmappable({ code: 'amount_too_large' });
  const warnings =
    amount < 0 ? [...priced.warnings, { code: 'amount_negative', amount } as const] : priced.warnings;
  return { kind: 'amount', amount, primary: { item: primary.item, period: primary.period }, warnings };
}

function priceItems(
  items: ItemParts[],
  currency: string,
): { items: PricedItem[]; warnings: MappingWarning[] } | Obstacle {
  const priced: PricedItem[] = [];
  const warnings: MappingWarning[] = [];
  for (const item of items) {
    const period = item.price.recurring;
    if (!period) {
      warnings.push({ code: 'item_not_recurring', itemId: item.id });
      continue;
    }
    const result = priceAmount(item.price, item.quantity, currency);
    if (result.kind !== 'amount') return result;
    priced.push({ item, period, scaled: result.scaled });
    warnings.push(...result.warnings);
  }
  return { items: priced, warnings };
}

function byRank(a: PricedItem, b: PricedItem): number {
  const [createdA, createdB] = [a.item.created ?? Infinity, b.item.created ?? Infinity];
  const sooner = daysOf(a.period) - daysOf(b.period);
  return sooner || Number(b.scaled - a.scaled) || createdA - createdB || (a.item.id < b.item.id ? -1 : 1);
}

/** Approximate days. Unknown intervals come last. */
const DAYS: ReadonlyMap<string, number> = new Map([
  ['day', 1],
  ['week', 7],
  ['month', 30.4],
  ['year', 365],
]);

function daysOf({ interval, interval_count }: PricedItem['period']): number {
  return (DAYS.get(interval) ?? UNKNOWN_DAYS) * interval_count;
}

const UNKNOWN_DAYS = 1e6;

function isSamePeriod(a: PricedItem['period'], b: PricedItem['period']): boolean {
  return a.interval === b.interval && a.interval_count === b.interval_count;
}
