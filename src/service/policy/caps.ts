/** How often and when a card or account may be tried (stripe-facts 5.5 to 5.10). Stricter than the networks' own rules. */
import type { DateTime } from 'luxon';
import { ATTEMPT_LIMITS } from '../../core/limits/attempt-limits.ts';
import { type FundsAnswer, findFundsRest } from '../../core/limits/card-rest.ts';
import { listCounted } from '../../core/limits/paid-since.ts';
import { RECOVERY_DAYS, REMINDER_DAYS } from '../../core/limits/reminder-days.ts';
import { equalAmountHours, isOfOther } from '../../core/limits/usual-limits.ts';
import type { CaseLimits, PastAttempt, PaymentCase } from './payment-case.ts';

const DEFAULT_LIMITS: CaseLimits = {
  ...ATTEMPT_LIMITS,
  reminderDays: REMINDER_DAYS,
  windowDays: RECOVERY_DAYS,
  attemptCost: 10,
};

const MS_PER_HOUR = 3_600_000;
const MS_PER_DAY = 86_400_000;

interface Window {
  readonly days: number;
  readonly most: number;
}

/** Attempts on one card, over all invoices. */
function networkWindows(brand: string | undefined, limits: CaseLimits): readonly Window[] {
  const month = (most: number) => ({ days: CAP_DAYS, most });
  if (brand === 'visa') return [month(limits.visaPer30Days)];
  if (brand !== 'mastercard') return [month(limits.otherCardPer30Days)];
  return [month(limits.mastercardPer30Days), { days: 1, most: limits.mastercardPer24Hours }];
}
export const CAP_DAYS = 30;

export function limitsOf(paymentCase: PaymentCase): CaseLimits {
  return { ...DEFAULT_LIMITS, ...paymentCase.limits };
}

/**
 * Whether one more try at that moment keeps the network's counts, and keeps away from tries of the same amount for other
 * invoices (stripe-facts 5.11), and from refusals of no more than that for lack of funds.
 */
export function createCapCheck(paymentCase: PaymentCase): (ms: number) => boolean {
  const { amount, attempts, past = [], brand, country } = paymentCase;
  const windows = networkWindows(brand, limitsOf(paymentCase));
  const card = attempts.at(-1)?.fingerprint;
  // One whose card is not known may have been this one.
  const onCard = past.filter(({ fingerprint = card }) => fingerprint === card);
  const answers = onCard.map((one) => toAnswer(one, brand));
  const failed = attempts.map(({ at }) => ({ atMs: at.toMillis(), isPaid: false }));
  const counted = listCounted([...answers, ...failed], country).map(({ atMs }) => atMs);
  const gapHours = limitsOf(paymentCase).minGapHours;
  const restedMs = Math.max(
    findFundsRest(answers, { amount, gapHours })?.untilMs ?? 0,
    ...onCard
      .filter((one) => one.amount === amount)
      .map((one) => one.at.toMillis() + equalAmountRest(one, paymentCase) * MS_PER_HOUR),
  );
  return (ms) =>
    ms >= restedMs &&
    windows.every(({ days, most }) => counted.filter((at) => at > ms - days * MS_PER_DAY).length < most);
}

/** Hours. */
export function equalAmountRest(
  { isPaid, subscriptionId }: PastAttempt,
  { subscriptionId: own }: Pick<PaymentCase, 'subscriptionId'>,
): number {
  return equalAmountHours({ isPaid, isOfOther: isOfOther(own, subscriptionId) });
}

function toAnswer(past: PastAttempt, brand: string | undefined): FundsAnswer {
  const { at, amount, methodType, code: declineCode, networkAdviceCode: networkAdvice } = past;
  const { adviceCode, networkCode } = past;
  const codes = { methodType, declineCode, code: undefined, adviceCode, networkCode, networkAdvice };
  // A payment with a card that is not known proves nothing for this one.
  const isPaid = past.isPaid && past.fingerprint !== undefined;
  return { atMs: at.toMillis(), amount, isPaid, codes: { ...codes, brand: past.brand ?? brand } };
}

/**
 * Every failed transaction counts, and so does a suggested retry whose outcome was never reported: the caps hold all
 * the same.
 */
export function countAttempts({ attempts, instructions }: PaymentCase, now: DateTime): number {
  const suggested = instructions.filter(
    (given) => given.suggestion === 'ACTION_SUGGESTION_RETRY' && given.at <= now,
  );
  return Math.max(attempts.length, suggested.length + 1);
}
