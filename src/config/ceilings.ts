/** Above what a person is asked, or everything stops. */
import type { SettingReader } from './setting-reader.ts';
import { defaultOf } from './settings.ts';

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
const BEYOND_PLATFORM_PACE = 4_000;

export const CEILINGS: Ceilings = {
  cardChangeMaxAgeDays: defaultOf('CARD_CHANGE_MAX_AGE_DAYS'),
  cardChangeMaxTotal: parseTotal(defaultOf('CARD_CHANGE_MAX_TOTAL')),
  chargesPerMinute: defaultOf('MAX_CHARGES_PER_MINUTE'),
};

export function readCeilings(read: SettingReader, isPlatform: boolean): Ceilings {
  const hasPlatformPace = isPlatform && read.optional('MAX_CHARGES_PER_MINUTE') === undefined;
  return {
    cardChangeMaxAgeDays: read.get('CARD_CHANGE_MAX_AGE_DAYS'),
    cardChangeMaxTotal: parseTotal(read.get('CARD_CHANGE_MAX_TOTAL')),
    chargesPerMinute: hasPlatformPace ? BEYOND_PLATFORM_PACE : read.get('MAX_CHARGES_PER_MINUTE'),
  };
}

function parseTotal(text: string): CardChangeTotal {
  if (text.endsWith('x')) return { kind: 'times', times: Number.parseInt(text, 10) };
  const pairs = text.split(',').map((pair) => pair.split('='));
  return {
    kind: 'amounts',
    of: Object.fromEntries(
      pairs.map(([currency = '', amount]) => [currency.trim().toLowerCase(), Number(amount)]),
    ),
  };
}
