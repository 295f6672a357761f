/** How often one card or account may be tried (stripe-facts 5.5 to 5.10), and how a merchant makes that stricter. */

import { defaultOf, type SettingName } from './schema/settings.ts';
import type { SettingReader } from './setting-reader.ts';

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
