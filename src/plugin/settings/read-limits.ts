/** Limits as the merchant's settings make them. */
import { ATTEMPT_LIMITS, type AttemptLimits } from '../../core/limits/attempt-limits.ts';
import type { CardChangeTotal } from './schema/limit-settings.ts';
import { defaultOf } from './schema/settings.ts';
import type { SettingReader } from './setting-reader.ts';
import { endpointPace } from './stripe-settings.ts';

/** The networks' own limits, with the merchant's for an invoice. */
export function readAttemptLimits({ get }: Pick<SettingReader, 'get'>): AttemptLimits {
  return {
    ...ATTEMPT_LIMITS,
    perInvoice: get('MAX_RETRIES_PER_INVOICE') + 1,
    minGapHours: get('MIN_HOURS_BETWEEN_ATTEMPTS'),
  };
}

/** Limits above which a person is asked, or everything stops. */
export interface Ceilings {
  readonly cardChangeMaxTotal: CardChangeTotal;
  /** Charges of all processes together. */
  readonly chargesPerMinute: number;
}

/** A platform has limits of its own, for all its accounts together (stripe-facts 3.10). */
export const PLATFORM_PAYMENTS_PER_SECOND = 60;

/**
 * Payments begin at one pace for all processes together, for any number of them. Twice the pace is out of reach: it leaves room
 * for work that waited for the database, and for clocks that differ.
 */
const TIMES_THE_PACE = 2;

function beyondPace(requestsPerSecond: number, isPlatform: boolean): number {
  const perSecond = isPlatform ? PLATFORM_PAYMENTS_PER_SECOND : endpointPace(requestsPerSecond);
  return TIMES_THE_PACE * perSecond * 60;
}

export const CEILINGS: Ceilings = {
  cardChangeMaxTotal: defaultOf('CARD_CHANGE_MAX_TOTAL'),
  chargesPerMinute: beyondPace(defaultOf('STRIPE_REQUESTS_PER_SECOND'), false),
};

export function readCeilings(
  read: SettingReader,
  { requestsPerSecond, isPlatform }: { requestsPerSecond: number; isPlatform: boolean },
): Ceilings {
  return {
    cardChangeMaxTotal: read.get('CARD_CHANGE_MAX_TOTAL'),
    chargesPerMinute: read.get('MAX_CHARGES_PER_MINUTE') ?? beyondPace(requestsPerSecond, isPlatform),
  };
}
