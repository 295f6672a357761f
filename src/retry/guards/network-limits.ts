/** How often one card or account may be tried (stripe-facts 5.5 to 5.8, 5.10): ours and Stripe's own attempts together. */
import type { DateTime } from 'luxon';
import type { AttemptLimits } from '../../config/attempt-limits.ts';
import { findDebitScheme } from '../../declines/find-decline.ts';
import type { DebitScheme } from '../../declines/network-codes.ts';

export interface CountedAttempt {
  readonly invoiceId: string;
  readonly amount: number | undefined;
  /** The card network that was used, where it is known. */
  readonly network: string | undefined;
  readonly startedAt: DateTime;
}

export interface LimitContext {
  readonly now: DateTime;
  readonly limits: AttemptLimits;
  readonly invoiceId: string;
  readonly amount: number;
  /** Those that the card may go by: several on a card with two brands. Which one is used is Stripe's choice. */
  readonly networks: readonly string[];
  readonly methodType: string | undefined;
  /** Since the latest attempt on the invoice. */
  readonly restHours: number;
  /** The customer has just entered this card again: it need not rest, but the caps hold (stripe-facts 5.10). */
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

type NetworkLimits = (limits: AttemptLimits) => readonly WindowLimit[];

/** Stricter than the networks' own figures, which stand beside them. */
const CARD_LIMITS: Readonly<Record<string, NetworkLimits>> = {
  visa: ({ visaPer30Days: max }) => [{ name: `Visa: ${max} in 30 days (rule: 20)`, max, hours: DAYS_30 }],
  mastercard: ({ mastercardPer24Hours: daily, mastercardPer30Days: monthly }) => [
    { name: `Mastercard: ${daily} in 24 hours (rule: 10)`, max: daily, hours: 24 },
    {
      name: `Mastercard: ${monthly} of one amount in 30 days (rule: 35)`,
      max: monthly,
      hours: DAYS_30,
      sameAmount: true,
    },
  ],
};
const otherCards: NetworkLimits = ({ otherCardPer30Days: max }) => [
  { name: `${max} in 30 days`, max, hours: DAYS_30 },
];

/**
 * Judges one more attempt against those already made with the same card or account. `attempts` holds all of them in
 * the last 30 days, and those on this invoice from the beginning.
 */
export function checkLimits(attempts: readonly CountedAttempt[], context: LimitContext): LimitVerdict {
  const onInvoice = attempts.filter((attempt) => attempt.invoiceId === context.invoiceId);
  const scheme = findDebitScheme(context.methodType);
  if (scheme) return checkBankDebit(onInvoice, scheme, context);
  const { perInvoice } = context.limits;
  if (onInvoice.length >= perInvoice) {
    return { kind: 'exhausted', limit: `${perInvoice} attempts on one invoice with one card` };
  }
  const networks = context.networks.length > 0 ? context.networks : [undefined];
  const waits = [
    ...(context.isNewMethod ? [] : [checkGap(onInvoice, context.now, context.restHours)]),
    ...networks.flatMap((network) => checkNetwork(attempts, network, context)),
  ];
  return latest(waits);
}

/** An attempt counts for the network that was used; for every one if that is not known, or not of this card. */
function checkNetwork(
  attempts: readonly CountedAttempt[],
  network: string | undefined,
  context: LimitContext,
): LimitVerdict[] {
  const counted = attempts.filter(
    ({ network: used }) => used === undefined || used === network || !context.networks.includes(used),
  );
  const limits = CARD_LIMITS[network ?? ''] ?? otherCards;
  return limits(context.limits).map((limit) => checkWindow(counted, limit, context));
}

function checkBankDebit(
  onInvoice: readonly CountedAttempt[],
  { name, presentments, withinDays, isSameAmountOnly }: DebitScheme,
  { now, amount, limits }: LimitContext,
): LimitVerdict {
  const exhausted = (limit: string): LimitVerdict => ({ kind: 'exhausted', limit: `${name}: ${limit}` });
  const most = Math.min(presentments, limits.debitPresentments);
  if (onInvoice.length >= most) return exhausted(`${most} presentments of one invoice`);
  const [first] = onInvoice;
  if (first && withinDays !== undefined && now > first.startedAt.plus({ days: withinDays }))
    return exhausted(`within ${withinDays} days of the first`);
  if (first?.amount !== undefined && isSameAmountOnly && first.amount !== amount)
    return exhausted(`the amount of the first time only, and that was ${first.amount}, not ${amount}`);
  return checkGap(onInvoice, now, limits.minGapHours);
}

function checkGap(onInvoice: readonly CountedAttempt[], now: DateTime, hours: number): LimitVerdict {
  const until = onInvoice.at(-1)?.startedAt.plus({ hours });
  return until && until > now
    ? { kind: 'wait', until, limit: `${hours} hours between attempts` }
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
