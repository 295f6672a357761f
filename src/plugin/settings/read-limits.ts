/** Limits as the merchant's settings make them. */
import type { AttemptLimits } from '../../core/limits/attempt-limits.ts';
import type { CardChangeTotal } from './schema/limit-settings.ts';
import { defaultOf } from './schema/settings.ts';
import type { SettingReader } from './setting-reader.ts';
import { endpointPace } from './stripe-settings.ts';

/** Reads the limits; a looser one than the network's is a problem that names both figures. */
export function readAttemptLimits({ get }: Pick<SettingReader, 'get'>): AttemptLimits {
  return {
    perInvoice: get('MAX_RETRIES_PER_INVOICE') + 1,
    unexplained: get('MAX_UNEXPLAINED_ATTEMPTS'),
    minGapHours: get('MIN_HOURS_BETWEEN_ATTEMPTS'),
    visaPer30Days: get('MAX_VISA_ATTEMPTS_30_DAYS'),
    mastercardPer24Hours: get('MAX_MASTERCARD_ATTEMPTS_24_HOURS'),
    mastercardPer30Days: get('MAX_MASTERCARD_ATTEMPTS_30_DAYS'),
    otherCardPer30Days: get('MAX_OTHER_CARD_ATTEMPTS_30_DAYS'),
    debitPresentments: get('MAX_BANK_DEBIT_PRESENTMENTS'),
  };
}

/** Above what a person is asked, or everything stops. */
export interface Ceilings {
  /** Older invoices are not paid because of a new card. */
  readonly cardChangeMaxAgeDays: number;
  readonly cardChangeMaxTotal: CardChangeTotal;
  /** Of all processes together. */
  readonly chargesPerMinute: number;
}

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
  cardChangeMaxTotal: defaultOf('CARD_CHANGE_MAX_TOTAL'),
  chargesPerMinute: beyondPace(defaultOf('STRIPE_REQUESTS_PER_SECOND'), false),
};

export function readCeilings(
  read: SettingReader,
  { requestsPerSecond, isPlatform }: { requestsPerSecond: number; isPlatform: boolean },
): Ceilings {
  return {
    cardChangeMaxAgeDays: read.get('CARD_CHANGE_MAX_AGE_DAYS'),
    cardChangeMaxTotal: read.get('CARD_CHANGE_MAX_TOTAL'),
    chargesPerMinute: read.get('MAX_CHARGES_PER_MINUTE') ?? beyondPace(requestsPerSecond, isPlatform),
  };
}
