/** Codes of networks and banks. */
import type { DeclineClass } from './decline-row.ts';

export interface AdviceRow {
  readonly value: string;
  /** Absent if the advice alone decides nothing. */
  readonly class?: DeclineClass;
  readonly waitHours?: number;
  /** Shorter rests in hours after consecutive refusals. */
  readonly briefRests?: readonly number[];
  /** Outweighs every code of Stripe except blocks (stripe-facts 5.4, precedence). */
  readonly isFinal?: true;
  readonly meaning: string;
}

/** Stripe's `advice_code` (stripe-facts 5.2). */
export const ADVICE_CODES: readonly AdviceRow[] = [
  {
    value: 'do_not_try_again',
    class: 'hard',
    isFinal: true,
    meaning: 'Do not use this card again for this payment.',
  },
  { value: 'confirm_card_data', class: 'update', meaning: 'Some of the card’s data is wrong.' },
  { value: 'try_again_later', meaning: 'A later attempt may succeed; the decline code decides.' },
];

/** Mastercard's Merchant Advice Codes (stripe-facts 5.6, 5.10), for brand `mastercard` only. */
export const MASTERCARD_ADVICE: readonly AdviceRow[] = [
  { value: '01', class: 'update', meaning: 'New card details exist. With response 83: authenticate.' },
  { value: '02', class: 'soft', waitHours: 72, meaning: 'Cannot approve now; try later.' },
  { value: '03', class: 'hard', isFinal: true, meaning: 'Do not try again.' },
  { value: '04', class: 'merchant', meaning: 'Requirements of network tokens are not met.' },
  { value: '05', class: 'update', meaning: 'The negotiated value is not approved.' },
  { value: '21', class: 'hard', isFinal: true, meaning: 'The customer canceled the recurring payment.' },
  { value: '22', class: 'merchant', meaning: 'The merchant does not qualify for the product code.' },
  { value: '24', class: 'soft', waitHours: 1, briefRests: [1, 1, 1], meaning: 'Try again after 1 hour.' },
  { value: '25', class: 'soft', waitHours: 24, meaning: 'Try again after 24 hours.' },
  { value: '26', class: 'soft', waitHours: 48, meaning: 'Try again after 2 days.' },
  { value: '27', class: 'soft', waitHours: 96, meaning: 'Try again after 4 days.' },
  { value: '28', class: 'soft', waitHours: 144, meaning: 'Try again after 6 days.' },
  { value: '29', class: 'soft', waitHours: 192, meaning: 'Try again after 8 days.' },
  { value: '30', class: 'soft', waitHours: 240, meaning: 'Try again after 10 days.' },
  { value: '40', class: 'update', meaning: 'A prepaid card that cannot be topped up.' },
  { value: '41', class: 'hard', isFinal: true, meaning: 'A virtual card for a single payment.' },
  { value: '42', class: 'hard', isFinal: true, meaning: 'Refused after a sanctions check.' },
  { value: '43', meaning: 'A virtual card for several payments; information only.' },
];

export interface VisaCategory {
  readonly category: 1 | 2 | 3 | 4;
  readonly codes: readonly string[];
  /** The codes are examples; all other codes belong here, too. */
  readonly isRest?: true;
  readonly meaning: string;
}

/** Visa's response codes by category (stripe-facts 5.5). Only category 1 decides; in others Stripe's code does. */
export const VISA_CATEGORIES: readonly VisaCategory[] = [
  {
    category: 1,
    codes: ['04', '07', '12', '14', '15', '41', '43', '46', '57', 'R0', 'R1', 'R3'],
    meaning: 'The bank will never approve.',
  },
  {
    category: 2,
    codes: [
      ...['03', '19', '39', '51', '52', '53', '59', '61', '62', '65', '75', '78', '83', '86', '91', '93'],
      ...['96', '5C', '9G', 'N3', 'N4', 'Z5'],
    ],
    meaning: 'The bank cannot approve now.',
  },
  {
    category: 3,
    codes: ['54', '55', '82', '6P', 'N7', '70', '1A'],
    meaning: 'Something about the data is wrong (70 and 1A: in Europe and CEMEA).',
  },
  { category: 4, codes: ['01', '05', '13', '58', '63'], isRest: true, meaning: 'Every other code.' },
];

export interface DebitScheme {
  readonly methodType: string;
  /** Stripe's older names of the same account. */
  readonly aliases?: readonly string[];
  readonly name: string;
  /** Stripe's failure codes after which the debit may be presented again (stripe-facts 5.8, 5.10). */
  readonly retryableCodes: readonly string[];
  /** Those that allow one repeat only (stripe-facts 5.9). */
  readonly onceMoreCodes?: readonly string[];
  /** Return codes of the scheme, if Stripe passes one on as the network's code. */
  readonly returns: readonly {
    readonly value: string;
    readonly isRetryable: boolean;
    readonly meaning: string;
  }[];
  /** Presentments including the first (stripe-facts 5.8, 5.10). */
  readonly presentments: number;
  /** Days after the first presentment for the others. */
  readonly withinDays?: number;
  /** A debit of another amount is a new one (stripe-facts 5.8). */
  readonly isSameAmountOnly?: true;
}

const CAUTIOUS = { retryableCodes: ['insufficient_funds'], returns: [], presentments: 3 } as const;

/** Bank debits. Only listed codes are retried (stripe-facts 5.8 to 5.10). The last schemes have no known rule and get the common one. */
export const DEBIT_SCHEMES: readonly DebitScheme[] = [
  {
    methodType: 'us_bank_account',
    aliases: ['ach_debit', 'bank_account'],
    name: 'ACH',
    retryableCodes: ['insufficient_funds'],
    returns: [
      { value: 'R01', isRetryable: true, meaning: 'Insufficient funds.' },
      { value: 'R09', isRetryable: true, meaning: 'Funds not collected yet.' },
      { value: 'R08', isRetryable: false, meaning: 'The customer stopped the payment.' },
    ],
    presentments: 3,
    withinDays: 180,
    isSameAmountOnly: true,
  },
  {
    methodType: 'sepa_debit',
    name: 'SEPA',
    retryableCodes: ['insufficient_funds'],
    returns: [{ value: 'AM04', isRetryable: true, meaning: 'Insufficient funds.' }],
    presentments: 3,
  },
  {
    methodType: 'bacs_debit',
    name: 'Bacs',
    retryableCodes: ['insufficient_funds', 'generic_could_not_process'],
    onceMoreCodes: ['generic_could_not_process'],
    returns: [{ value: '0', isRetryable: true, meaning: 'Refer to payer.' }],
    presentments: 3,
    withinDays: 30,
    isSameAmountOnly: true,
  },
  { methodType: 'acss_debit', name: 'Canadian PADs', ...CAUTIOUS },
  { methodType: 'au_becs_debit', name: 'BECS (Australia)', ...CAUTIOUS },
  { methodType: 'nz_bank_account', name: 'BECS (New Zealand)', ...CAUTIOUS },
];
