/** One currency in which sums of several are shown. */

import type { SettingReader } from './setting-reader.ts';

export interface ExchangeRates {
  /** In lower case; undefined: the one with most at stake. */
  readonly currency: string | undefined;
  /** What one unit of a currency is worth in that one. */
  readonly rates: ReadonlyMap<string, number>;
}

export function readExchangeRates(read: SettingReader): ExchangeRates {
  const currency = read.get('REPORT_CURRENCY')?.toLowerCase();
  const rates = new Map(read.get('EXCHANGE_RATES'));
  if (rates.size > 0 && currency === undefined)
    read.problem('EXCHANGE_RATES', 'needs REPORT_CURRENCY, the currency that the rates lead to');
  return { currency, rates };
}
