/** Limits of attempts with a card or account (stripe-facts 5.5 to 5.8, 5.10), ours and Stripe's together. */
import { DateTime } from 'luxon';
import { findDebitScheme } from '../../../core/declines/find-decline.ts';
import type { DebitScheme } from '../../../core/declines/network-codes.ts';
import type { AttemptLimits } from '../../../core/limits/attempt-limits.ts';
import { createWindowCheck } from '../../../core/limits/card-windows.ts';
import { MIN_GAP_HOURS } from '../../../core/limits/usual-limits.ts';
import type { Reason } from '../../reasons/reason.ts';
import { asksInstead, type Objection } from '../actions/objection.ts';

export interface CountedAttempt {
  readonly invoiceId: string;
  readonly amount: number | undefined;
  /** The card network used, if known. */
  readonly network: string | undefined;
  readonly startedAt: DateTime;
  /** The attempt paid. */
  readonly isPaid?: boolean;
}

export interface LimitContext {
  readonly now: DateTime;
  readonly limits: AttemptLimits;
  readonly invoiceId: string;
  readonly amount: number;
  /** Possible networks: several for a card with two brands, of which Stripe chooses. */
  readonly networks: readonly string[];
  readonly methodType: string | undefined;
  /** Country of the card. */
  readonly country?: string | undefined;
  /** The customer has just entered this card again: it need not rest, but the caps apply (stripe-facts 5.10). */
  readonly isNewMethod: boolean;
}

type Wait = Required<Pick<Objection, 'reason' | 'until'>>;
/** Undefined if one more attempt is within the limits. */
export type LimitVerdict = Omit<Objection, 'guard'> | undefined;

/** Judges one more attempt. `attempts` holds all of the last 30 days with the card or account, and all on this invoice. */
export function checkLimits(attempts: readonly CountedAttempt[], context: LimitContext): LimitVerdict {
  const onInvoice = attempts.filter((attempt) => attempt.invoiceId === context.invoiceId);
  const scheme = findDebitScheme(context.methodType);
  if (scheme) return checkBankDebit(onInvoice, scheme, context);
  const { perInvoice } = context.limits;
  if (onInvoice.filter(({ isPaid }) => !isPaid).length >= perInvoice) {
    return used({ code: 'attempts_on_invoice', max: perInvoice });
  }
  return latest([
    context.isNewMethod ? undefined : checkGap(onInvoice, context),
    checkWindows(attempts, context),
  ]);
}

function checkWindows(attempts: readonly CountedAttempt[], context: LimitContext): Wait | undefined {
  const made = attempts.map((attempt) => ({ ...attempt, atMs: attempt.startedAt.toMillis() }));
  const { amount, networks, country, limits, now } = context;
  const wait = createWindowCheck(made, { amount, networks, country, limits })(now.toMillis());
  if (!wait) return undefined;
  const until = DateTime.fromMillis(wait.untilMs, { zone: 'utc' });
  return { until, reason: { code: 'attempts_with_card', ...wait.limit } };
}

function checkBankDebit(
  onInvoice: readonly CountedAttempt[],
  { name: scheme, presentments, withinDays, isSameAmountOnly }: DebitScheme,
  context: LimitContext,
): LimitVerdict {
  const { now, amount, limits } = context;
  if (onInvoice.length >= limits.perInvoice)
    return used({ code: 'attempts_on_invoice', max: limits.perInvoice });
  const most = Math.min(presentments, limits.debitPresentments);
  // Another amount is a new entry, not a second presentment (stripe-facts 5.8).
  const entry = onInvoice.filter((attempt) => !isSameAmountOnly || (attempt.amount ?? amount) === amount);
  if (entry.length >= most) return used({ code: 'debit_presentments', scheme, max: most });
  const [first] = entry;
  if (first && withinDays !== undefined && now > first.startedAt.plus({ days: withinDays }))
    return used({ code: 'debit_window_over', scheme, days: withinDays });
  return checkGap(onInvoice, context);
}

/** No attempt is left with this method. */
function used(reason: Reason): LimitVerdict {
  return { reason, follows: asksInstead('card_update_email') };
}

/** A second attempt within the hour would get the same answer; planners rest longer. */
function checkGap(onInvoice: readonly CountedAttempt[], { now, limits }: LimitContext): Wait | undefined {
  const hours = limits.minGapHours ?? MIN_GAP_HOURS;
  const until = onInvoice.at(-1)?.startedAt.plus({ hours });
  return until && until > now ? { until, reason: { code: 'hours_between_attempts', hours } } : undefined;
}

function latest(waits: readonly (Wait | undefined)[]): Wait | undefined {
  let result: Wait | undefined;
  for (const wait of waits) if (wait && (!result || wait.until > result.until)) result = wait;
  return result;
}
