/** How often one card or account may be tried (stripe-facts 5.5 to 5.10), and how a merchant makes that stricter. */
import {
  MAX_ATTEMPTS_PER_INVOICE,
  MAX_UNEXPLAINED_ATTEMPTS,
  MIN_GAP_HOURS,
} from '../declines/usual-limits.ts';
import type { SettingReader } from './setting-reader.ts';
import type { SettingName } from './settings.ts';

interface LimitRow {
  readonly setting: SettingName;
  /** What is kept to unless the merchant is stricter. */
  readonly figure: number;
  /** Whose rule it answers, and that rule's own figure. */
  readonly rule: string;
  /** The strictest that makes sense; a limit without it is a least one, which is stricter the larger it is. */
  readonly most?: number;
}

const ROWS = {
  perInvoice: {
    setting: 'MAX_ATTEMPTS_PER_INVOICE',
    figure: MAX_ATTEMPTS_PER_INVOICE,
    rule: 'Stripe advises no more than 8',
  },
  unexplained: {
    setting: 'MAX_UNEXPLAINED_ATTEMPTS',
    figure: MAX_UNEXPLAINED_ATTEMPTS,
    rule: 'without a reason nobody knows what helps',
  },
  minGapHours: {
    setting: 'MIN_HOURS_BETWEEN_ATTEMPTS',
    figure: MIN_GAP_HOURS,
    rule: 'a card rests for 24 hours between attempts, whoever makes them',
    most: 720,
  },
  visaPer30Days: {
    setting: 'MAX_VISA_ATTEMPTS_30_DAYS',
    figure: 15,
    rule: 'Visa allows 20, and counts what we do not see',
  },
  mastercardPer24Hours: {
    setting: 'MAX_MASTERCARD_ATTEMPTS_24_HOURS',
    figure: 8,
    rule: 'Mastercard allows 10, and counts what we do not see',
  },
  mastercardPer30Days: {
    setting: 'MAX_MASTERCARD_ATTEMPTS_30_DAYS',
    figure: 30,
    rule: 'Mastercard allows 35 of one amount, and counts what we do not see',
  },
  otherCardPer30Days: {
    setting: 'MAX_OTHER_CARD_ATTEMPTS_30_DAYS',
    figure: 8,
    rule: 'Stripe advises no more than 8',
  },
  debitPresentments: {
    setting: 'MAX_BANK_DEBIT_PRESENTMENTS',
    figure: 3,
    rule: 'ACH allows 3, the first included',
  },
} as const satisfies Record<string, LimitRow>;

export type AttemptLimits = { readonly [Name in keyof typeof ROWS]: number };

/** What holds where a merchant is not stricter. */
export const ATTEMPT_LIMITS: AttemptLimits = fromRows((row) => row.figure);

/** The limits as the merchant wants them. A looser one is a problem that names both figures. */
export function readAttemptLimits(read: Pick<SettingReader, 'optional' | 'problem'>): AttemptLimits {
  return fromRows((row) => {
    const given = read.optional(row.setting);
    if (given === undefined) return row.figure;
    const problem = findProblem(row, given);
    if (problem !== undefined) read.problem(row.setting, problem);
    return problem === undefined ? Number(given) : row.figure;
  });
}

function findProblem({ figure, rule, most }: LimitRow, given: string): string | undefined {
  const value = Number(given);
  const [from, to] = most === undefined ? [1, figure] : [figure, most];
  if (!Number.isInteger(value)) return `must be a whole number from ${from} to ${to}`;
  const isLooser = most === undefined ? value > figure : value < figure;
  if (isLooser) return `must be stricter: ${value} is looser than ${figure} (${rule}); give ${from} to ${to}`;
  return value < from || value > to ? `must be a whole number from ${from} to ${to}` : undefined;
}

function fromRows(choose: (row: LimitRow) => number): AttemptLimits {
  return {
    perInvoice: choose(ROWS.perInvoice),
    unexplained: choose(ROWS.unexplained),
    minGapHours: choose(ROWS.minGapHours),
    visaPer30Days: choose(ROWS.visaPer30Days),
    mastercardPer24Hours: choose(ROWS.mastercardPer24Hours),
    mastercardPer30Days: choose(ROWS.mastercardPer30Days),
    otherCardPer30Days: choose(ROWS.otherCardPer30Days),
    debitPresentments: choose(ROWS.debitPresentments),
  };
}
