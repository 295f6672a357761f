/** Converts amounts to ISO 4217's units. All other code uses Stripe's. */

/** Currencies that Stripe counts in unused hundredths (stripe-facts 2.4); ISO 4217 has no smaller unit. */
export const STRIPE_HUNDREDTHS: ReadonlySet<string> = new Set(['ISK', 'UGX']);
const AMOUNTS: ReadonlySet<string> = new Set(['amount', 'amountRemaining', 'discountAmount']);

/** The record as the service gets it. */
export function toIsoAmounts(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeof record.currency !== 'string' || !STRIPE_HUNDREDTHS.has(record.currency)) return record;
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      AMOUNTS.has(name) && typeof value === 'number' ? Math.round(value / 100) : value,
    ]),
  );
}
