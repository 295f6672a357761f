/** How often one card or account may be tried (stripe-facts 5.5 to 5.10), and how a merchant makes that stricter. */

import type { CardChangeTotal } from '../../plugin/settings/schema/limit-settings.ts';
import { defaultOf, type SettingName } from '../../plugin/settings/schema/settings.ts';
import type { SettingReader } from '../../plugin/settings/setting-reader.ts';
import { endpointPace } from '../../plugin/settings/stripe-settings.ts';

const LIMITS = {
  perInvoice: 'MAX_ATTEMPTS_PER_INVOICE',
  unexplained: 'MAX_UNEXPLAINED_ATTEMPTS',
  minGapHours: 'MIN_HOURS_BETWEEN_ATTEMPTS',
  visaPer30Days: 'MAX_VISA_ATTEMPTS_30_DAYS',
  mastercardPer24Hours: 'MAX_MASTERCARD_ATTEMPTS_24_HOURS',
  mastercardPer30Days: 'MAX_MASTERCARD_ATTEMPTS_30_DAYS',
  otherCardPer30Days: 'MAX_OTHER_CARD_ATTEMPTS_30_DAYS',
  debitPresentments: 'MAX_BANK_DEBIT_PRESENTMENTS',
} as const satisfies Record<string, SettingName>;

type Limit = (typeof LIMITS)[keyof typeof LIMITS];

export type AttemptLimits = { readonly [Name in keyof typeof LIMITS]: number };

/** What holds where a merchant is not stricter. */
export const ATTEMPT_LIMITS: AttemptLimits = eachLimit(defaultOf);

/** The limits as the merchant wants them. A looser one is a problem that names both figures. */
export function readAttemptLimits(read: Pick<SettingReader, 'get'>): AttemptLimits {
  return eachLimit(read.get);
}

function eachLimit(choose: (limit: Limit) => number): AttemptLimits {
  return {
    perInvoice: choose(LIMITS.perInvoice),
    unexplained: choose(LIMITS.unexplained),
    minGapHours: choose(LIMITS.minGapHours),
    visaPer30Days: choose(LIMITS.visaPer30Days),
    mastercardPer24Hours: choose(LIMITS.mastercardPer24Hours),
    mastercardPer30Days: choose(LIMITS.mastercardPer30Days),
    otherCardPer30Days: choose(LIMITS.otherCardPer30Days),
    debitPresentments: choose(LIMITS.debitPresentments),
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
