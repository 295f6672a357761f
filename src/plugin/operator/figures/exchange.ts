/** Sums of several currencies as one. Pure. */

import { minorDigits } from '../../mails/format-money.ts';
import type { ExchangeRates } from '../../settings/schema/operator-settings.ts';
import type { CurrencyWorth } from '../../store/reports/money/failure-order.ts';
import type { Factors } from '../../store/reports/money/sum-failures.ts';

/** Sums that are added up together. */
export interface CurrencyRow {
  /** The currency shown. */
  readonly currency: string;
  /** Those that are in it. */
  readonly currencies: ReadonlySet<string>;
}

/** One for all currencies with a rate, and one for each without; the one with the most invoices first. */
export function listCurrencyRows(
  { currency, rates }: ExchangeRates,
  sums: readonly { readonly currency: string; readonly invoices: number }[],
): CurrencyRow[] {
  const counts = new Map<string, number>();
  for (const sum of sums) counts.set(sum.currency, (counts.get(sum.currency) ?? 0) + sum.invoices);
  const names = [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
  const isTogether = (name: string) => currency !== undefined && (name === currency || rates.has(name));
  const together = names.filter(isTogether);
  return [
    ...(currency === undefined || together.length === 0 ? [] : [{ currency, currencies: new Set(together) }]),
    ...names
      .filter((name) => !isTogether(name))
      .map((name) => ({ currency: name, currencies: new Set([name]) })),
  ];
}

export function inRow<One extends { readonly currency: string }>(
  { currencies }: CurrencyRow,
  sums: readonly One[],
): One[] {
  return sums.filter(({ currency }) => currencies.has(currency));
}

/** Converts the amounts into the currency, each rounded to its smallest unit, and adds them. An amount without a rate is left out. */
export function addUp(
  sums: readonly { readonly currency: string; readonly amount: number }[],
  currency: string,
  { rates }: ExchangeRates,
): number {
  return sums.reduce((all, sum) => {
    const rate = sum.currency === currency ? 1 : (rates.get(sum.currency) ?? 0);
    return all + Math.round(sum.amount * rate * 10 ** (minorDigits(currency) - minorDigits(sum.currency)));
  }, 0);
}

/** Makes amounts comparable: those with a rate together, those without one among themselves. */
export function toWorth({ currency: report, rates }: ExchangeRates, currency: string): CurrencyWorth {
  const rate = currency === report ? 1 : rates.get(currency);
  if (report === undefined || rate === undefined) return { currency, group: currency, factor: '1' };
  const factor = rate * 10 ** (minorDigits(report) - minorDigits(currency));
  return { currency, group: '', factor: factor.toFixed(12) };
}

/** The rates as the database converts by them. */
export function toFactors(rates: ExchangeRates): Factors {
  return Object.fromEntries(
    [...rates.rates.keys()].sort().map((currency) => [currency, toWorth(rates, currency).factor]),
  );
}
