/** CARD_CHANGE_MAX_TOTAL */
import { splitEntries, splitPair } from './setting-kinds.ts';

/** What new cards of one customer may pay in 24 hours, each currency by itself: nothing is converted. */
export type CardChangeTotal =
  /** So many times the largest of these invoices. */
  | { readonly kind: 'times'; readonly times: number }
  /** In the smallest unit, by currency in lower case. A currency without one asks a person for every payment. */
  | { readonly kind: 'amounts'; readonly of: Readonly<Record<string, number>> };

/** `3x`, or `EUR=50000,USD=60000`. */
export const TIMES_OR_AMOUNTS = /^([1-9]\d{0,2}x|(\s*[A-Za-z]{3}\s*=\s*\d{1,12}\s*(,(?!$)|$))+)$/;
export const NO_TOTAL =
  "must be a multiple such as 3x, or amounts in the currencies' smallest unit such as EUR=50000,USD=60000";

export function parseTotal(text: string): CardChangeTotal {
  if (text.endsWith('x')) return { kind: 'times', times: Number.parseInt(text, 10) };
  const pairs = splitEntries(text).map(splitPair);
  return {
    kind: 'amounts',
    of: Object.fromEntries(pairs.map(([currency, amount]) => [currency.toLowerCase(), Number(amount)])),
  };
}
