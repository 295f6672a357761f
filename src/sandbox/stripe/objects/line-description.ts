import type { SubscriptionItem } from './wire.ts';

/** As Stripe words the line of a subscription item: `1 × Pro plan (at $29.00 / month)`, `Trial period for Pro plan`. */
export function describeLine(
  { price, quantity }: SubscriptionItem,
  { product, currency, unitAmount, isFree }: LineWords,
): string {
  if (isFree) return `Trial period for ${product}`;
  const { interval = 'month', interval_count: count = 1 } = price.recurring ?? {};
  const money = new Intl.NumberFormat('en-US', { style: 'currency', currency, maximumFractionDigits: 12 });
  const digits = new Intl.NumberFormat('en-US', { style: 'currency', currency }).resolvedOptions();
  const amount = money.format(Number(unitAmount ?? 0) / 10 ** (digits.maximumFractionDigits ?? 2));
  const period = count === 1 ? `/ ${interval}` : `every ${count} ${interval}s`;
  const rate = unitAmount === null ? `Tier 1 ${period}` : `at ${amount} ${period}`;
  return `${quantity ?? 1} × ${product} (${rate})`;
}

interface LineWords {
  /** Its name. */
  readonly product: string;
  readonly currency: string;
  /** In the smallest unit, with its fraction; null where the price has tiers. */
  readonly unitAmount: string | null;
  readonly isFree: boolean;
}
