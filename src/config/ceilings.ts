/** Above what a person is asked, or everything stops. */
import type { SettingReader } from './setting-reader.ts';
import { defaultOf } from './settings.ts';
import { endpointPace } from './stripe-settings.ts';

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

/** A platform has limits of its own, for all its accounts together (stripe-facts 3.10). */
export const PLATFORM_PAYMENTS_PER_SECOND = 60;

/**
 * Payments begin at one pace for all processes together, whatever their number. Twice of it is out of reach: it has room for
 * what waited for the database, and for clocks that differ.
 */
const TIMES_THE_PACE = 2;

function beyondPace(requestsPerSecond: number, isPlatform: boolean): number {
  const perSecond = isPlatform ? PLATFORM_PAYMENTS_PER_SECOND : endpointPace(requestsPerSecond);
  return TIMES_THE_PACE * perSecond * 60;
}

export const CEILINGS: Ceilings = {
  cardChangeMaxAgeDays: defaultOf('CARD_CHANGE_MAX_AGE_DAYS'),
  cardChangeMaxTotal: parseTotal(defaultOf('CARD_CHANGE_MAX_TOTAL')),
  chargesPerMinute: beyondPace(defaultOf('STRIPE_REQUESTS_PER_SECOND'), false),
};

export function readCeilings(
  read: SettingReader,
  { requestsPerSecond, isPlatform }: { requestsPerSecond: number; isPlatform: boolean },
): Ceilings {
  return {
    cardChangeMaxAgeDays: read.get('CARD_CHANGE_MAX_AGE_DAYS'),
    cardChangeMaxTotal: parseTotal(read.get('CARD_CHANGE_MAX_TOTAL')),
    chargesPerMinute: read.get('MAX_CHARGES_PER_MINUTE') ?? beyondPace(requestsPerSecond, isPlatform),
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
