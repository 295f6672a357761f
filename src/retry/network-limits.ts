/** How often one card or account may be tried (facts 5.5 to 5.8, 5.10): ours and Stripe's own attempts together. */
import type { DateTime } from 'luxon';

export interface CountedAttempt {
  readonly invoiceId: string;
  readonly amount: number | undefined;
  readonly startedAt: DateTime;
}

export interface LimitContext {
  readonly now: DateTime;
  readonly invoiceId: string;
  readonly amount: number;
  readonly brand: string | undefined;
  readonly methodType: string | undefined;
  /** The customer has just entered this card again: it need not rest, but the caps hold (facts 5.10). */
  readonly isNewMethod: boolean;
}

export type LimitVerdict =
  | { kind: 'allowed' }
  | { kind: 'wait'; until: DateTime; limit: string }
  | { kind: 'exhausted'; limit: string };

interface WindowLimit {
  readonly name: string;
  readonly max: number;
  readonly hours: number;
  readonly sameAmount?: true;
}

const DAYS_30 = 30 * 24;

/** Stricter than the networks' own figures, which stand beside them. */
const CARD_LIMITS: Readonly<Record<string, readonly WindowLimit[]>> = {
  visa: [{ name: 'Visa: 15 in 30 days (rule: 20)', max: 15, hours: DAYS_30 }],
  mastercard: [
    { name: 'Mastercard: 8 in 24 hours (rule: 10)', max: 8, hours: 24 },
    { name: 'Mastercard: 30 of one amount in 30 days (rule: 35)', max: 30, hours: DAYS_30, sameAmount: true },
  ],
};
const OTHER_CARDS: readonly WindowLimit[] = [{ name: '8 in 30 days', max: 8, hours: DAYS_30 }];

/** The first presentment and at most two more, within the scheme's time after the first. */
const BANK_DEBITS: Readonly<Record<string, { presentments: number; withinDays: number | undefined }>> = {
  us_bank_account: { presentments: 3, withinDays: 180 },
  sepa_debit: { presentments: 3, withinDays: undefined },
  bacs_debit: { presentments: 3, withinDays: 30 },
};

export const MAX_ATTEMPTS_PER_INVOICE = 8;
export const MIN_GAP_HOURS = 24;

/**
 * Judges one more attempt against those already made with the same card or account. `attempts` holds all of them in
 * the last 30 days, and those on this invoice from the beginning.
 */
export function checkLimits(attempts: readonly CountedAttempt[], context: LimitContext): LimitVerdict {
  const onInvoice = attempts.filter((attempt) => attempt.invoiceId === context.invoiceId);
  const debit = BANK_DEBITS[context.methodType ?? ''];
  if (debit) return checkBankDebit(onInvoice, debit, context);
  if (onInvoice.length >= MAX_ATTEMPTS_PER_INVOICE) {
    return { kind: 'exhausted', limit: `${MAX_ATTEMPTS_PER_INVOICE} attempts on one invoice with one card` };
  }
  const limits = CARD_LIMITS[context.brand ?? ''] ?? OTHER_CARDS;
  const waits = [
    ...(context.isNewMethod ? [] : [checkGap(onInvoice, context.now)]),
    ...limits.map((limit) => checkWindow(attempts, limit, context)),
  ];
  return latest(waits);
}

function checkBankDebit(
  onInvoice: readonly CountedAttempt[],
  debit: { presentments: number; withinDays: number | undefined },
  context: LimitContext,
): LimitVerdict {
  if (onInvoice.length >= debit.presentments) {
    return { kind: 'exhausted', limit: `${context.methodType}: ${debit.presentments} presentments` };
  }
  const first = onInvoice[0]?.startedAt;
  if (first && debit.withinDays !== undefined && context.now > first.plus({ days: debit.withinDays })) {
    return {
      kind: 'exhausted',
      limit: `${context.methodType}: within ${debit.withinDays} days of the first`,
    };
  }
  return checkGap(onInvoice, context.now);
}

function checkGap(onInvoice: readonly CountedAttempt[], now: DateTime): LimitVerdict {
  const last = onInvoice.at(-1);
  const until = last?.startedAt.plus({ hours: MIN_GAP_HOURS });
  return until && until > now
    ? { kind: 'wait', until, limit: `${MIN_GAP_HOURS} hours between attempts` }
    : { kind: 'allowed' };
}

function checkWindow(
  attempts: readonly CountedAttempt[],
  limit: WindowLimit,
  context: LimitContext,
): LimitVerdict {
  const start = context.now.minus({ hours: limit.hours });
  const counted = attempts.filter(
    (attempt) => attempt.startedAt > start && (!limit.sameAmount || attempt.amount === context.amount),
  );
  const oldestThatMustLeave = counted.at(-limit.max);
  if (!oldestThatMustLeave) return { kind: 'allowed' };
  return {
    kind: 'wait',
    until: oldestThatMustLeave.startedAt.plus({ hours: limit.hours }),
    limit: limit.name,
  };
}

function latest(verdicts: readonly LimitVerdict[]): LimitVerdict {
  let result: LimitVerdict = { kind: 'allowed' };
  for (const verdict of verdicts) {
    if (verdict.kind === 'wait' && (result.kind !== 'wait' || verdict.until > result.until)) result = verdict;
  }
  return result;
}
