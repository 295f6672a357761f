/** Amounts as ISO 4217 counts them. All else in the package counts as Stripe does. */

/** Stripe counts these in hundredths that nobody uses (stripe-facts 2.4); ISO 4217 knows no smaller unit of them. */
export const STRIPE_HUNDREDTHS: ReadonlySet<string> = new Set(['ISK', 'UGX']);
const AMOUNTS: ReadonlySet<string> = new Set(['amount', 'amountRemaining', 'discountAmount']);

/** A record as it goes to the service. */
export function toIsoAmounts(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeof record.currency !== 'string' || !STRIPE_HUNDREDTHS.has(record.currency)) return record;
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      AMOUNTS.has(name) && typeof value === 'number' ? Math.round(value / 100) : value,
    ]),
  );
}

/** What the service says of an amount, as Stripe counts it. */
export function fromIsoAmount(amount: number, currency: string): number {
  return STRIPE_HUNDREDTHS.has(currency.toUpperCase()) ? amount * 100 : amount;
}
