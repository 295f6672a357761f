/** Sums of several currencies as one. Pure. */
import type { ExchangeRates } from '../../../config/exchange-rates.ts';
import { minorDigits } from '../../../email/format-money.ts';

export interface Sum {
  readonly currency: string;
  readonly amount: number;
}

export interface Total {
  readonly currency: string;
  /** Minor units. */
  readonly amount: number;
  /** Currencies with sums that are not in it: no rate is known. */
  readonly missing: readonly string[];
}

/** The currency of totals: the chosen one, else the one with the most invoices. */
export function reportCurrency(
  { currency }: ExchangeRates,
  sums: readonly { readonly currency: string; readonly invoices: number }[],
): string {
  if (currency !== undefined) return currency;
  const counts = new Map<string, number>();
  for (const sum of sums) counts.set(sum.currency, (counts.get(sum.currency) ?? 0) + sum.invoices);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? 'usd';
}

export function addUp(sums: readonly Sum[], currency: string, { rates }: ExchangeRates): Total {
  const rateOf = (name: string) => (name === currency ? 1 : rates.get(name));
  const digits = minorDigits(currency);
  const amount = sums.reduce((all, sum) => {
    const rate = rateOf(sum.currency);
    return rate === undefined
      ? all
      : all + (sum.amount / 10 ** minorDigits(sum.currency)) * rate * 10 ** digits;
  }, 0);
  const missing = new Set(
    sums.filter((sum) => rateOf(sum.currency) === undefined).map((sum) => sum.currency),
  );
  return { currency, amount: Math.round(amount), missing: [...missing].sort() };
}
