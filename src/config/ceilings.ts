/** Above what a person is asked, or everything stops. */
import type { SettingReader } from './setting-reader.ts';

export interface Ceilings {
  /** Older invoices are not paid because of a new card. */
  readonly cardChangeMaxAgeDays: number;
  readonly cardChangeMaxTotal: CardChangeTotal;
  /** Of all processes together. */
  readonly chargesPerMinute: number;
}

/** What new cards of one customer may pay in 24 hours, each currency by itself: nothing is converted. */
export type CardChangeTotal =
  /** So many times the largest of these invoices. */
  | { readonly kind: 'times'; readonly times: number }
  /** In the smallest unit, by currency in lower case. A currency without one asks a person for every payment. */
  | { readonly kind: 'amounts'; readonly of: Readonly<Record<string, number>> };

/** One account's payments are spread so that no more than 900 a minute begin; a platform's, 3,600 (stripe-facts 3.10). */
const BEYOND_OUR_PACE = 1_000;
const BEYOND_PLATFORM_PACE = 4_000;

export const CEILINGS: Ceilings = {
  cardChangeMaxAgeDays: 90,
  cardChangeMaxTotal: { kind: 'times', times: 3 },
  chargesPerMinute: BEYOND_OUR_PACE,
};

export function readCeilings(read: SettingReader, isPlatform: boolean): Ceilings {
  const fallback = isPlatform ? BEYOND_PLATFORM_PACE : BEYOND_OUR_PACE;
  return {
    cardChangeMaxAgeDays: read.integer('CARD_CHANGE_MAX_AGE_DAYS', { fallback: 90, min: 1, max: 3_650 }),
    cardChangeMaxTotal: readTotal(read),
    chargesPerMinute: read.integer('MAX_CHARGES_PER_MINUTE', { fallback, min: 1, max: 100_000 }),
  };
}

function readTotal(read: SettingReader): CardChangeTotal {
  const text = read.text('CARD_CHANGE_MAX_TOTAL', '3x');
  const times = /^([1-9]\d{0,2})x$/.exec(text)?.[1];
  if (times !== undefined) return { kind: 'times', times: Number(times) };
  const pairs = text.split(',').map((pair) => /^\s*([a-z]{3})\s*=\s*(\d{1,12})\s*$/i.exec(pair));
  if (pairs.some((pair) => pair === null))
    read.problem(
      'CARD_CHANGE_MAX_TOTAL',
      "must be a multiple such as 3x, or amounts in the currencies' smallest unit such as EUR=50000,USD=60000",
    );
  const amounts = pairs.flatMap((pair) => (pair ? [[String(pair[1]).toLowerCase(), Number(pair[2])]] : []));
  return { kind: 'amounts', of: Object.fromEntries(amounts) };
}
