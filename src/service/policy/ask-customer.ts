/** Asking the customer for another card or a confirmation: how often, how far apart, and what it is worth. */
import { DateTime } from 'luxon';
import type { Suggestion } from '../../core/contract/contract.ts';
import { LACK_OF_FUNDS } from '../../core/limits/card-rest.ts';
import {
  DAYS_AFTER_LAST_REQUEST,
  lastDayForFunds,
  MIN_DAYS_BETWEEN_EMAILS,
} from '../../core/limits/reminder-days.ts';
import type { DecisionReason } from '../reasons/decision-reason.ts';
import { limitsOf } from './caps.ts';
import type { Decision, GivenInstruction, PaymentCase } from './payment-case.ts';

/** Emails on the day of the failure are answered this often (stripe-facts 13.5); nothing better is published. */
export const ANSWERED = 0.13;
export const USED_UP = 'attempts_used_up';

export interface Asking {
  readonly suggestion: Suggestion;
  readonly reason: string;
  readonly reasons: readonly DecisionReason[];
}

export function suggestEmail(paymentCase: PaymentCase, now: DateTime, asking: Asking): Decision {
  return { ...asking, at: nextEmailTime(givenEmails(paymentCase, now), now) };
}

/**
 * Asks immediately after a refusal since the last request; otherwise on the days for reminders, which count from the first
 * request of the case. Never more often than there are such days, and not after the window, for which the last one is early
 * enough. For insufficient funds another card may not help: the customer is asked once, and notified once before anything ends.
 */
export function askCustomer(paymentCase: PaymentCase, now: DateTime, asking: Asking): Decision {
  const emails = givenEmails(paymentCase, now);
  const latest = paymentCase.attempts.at(-1);
  const last = emails.at(-1);
  const end = findEnd(paymentCase, emails);
  const isRefusedSince = !last || !latest || last.at < latest.at;
  const isForFunds = latest?.code === LACK_OF_FUNDS;
  const { reminderDays } = limitsOf(paymentCase);
  const day = reminderDays[emails.length];
  if (day === undefined || (isForFunds && !isRefusedSince && emails.length > 1))
    return awaitCustomer(asking, { now, end });
  if (!last || (isRefusedSince && !isForFunds)) return suggestEmail(paymentCase, now, asking);
  const [first = last] = emails;
  const wanted = DateTime.max(
    first.at.plus({ days: isForFunds ? lastDayForFunds(reminderDays) : day }),
    last.at.plus({ days: MIN_DAYS_BETWEEN_EMAILS }),
  );
  const isLast = isForFunds || emails.length === reminderDays.length - 1;
  const dueAt = isLast ? DateTime.min(wanted, end) : wanted;
  if (dueAt > end || (end <= now && dueAt < end)) return awaitCustomer(asking, { now, end });
  return dueAt <= now
    ? suggestEmail(paymentCase, now, asking)
    : awaitCustomer(asking, { now, end, againAt: dueAt });
}

/** The time until which the customer may act; the case is given up after it. */
function findEnd(paymentCase: PaymentCase, emails: readonly GivenInstruction[]): DateTime {
  const { attempts, failedAt = attempts.at(0)?.at } = paymentCase;
  const window = failedAt?.plus({ days: limitsOf(paymentCase).windowDays });
  const answer = emails.at(-1)?.at.plus({ days: DAYS_AFTER_LAST_REQUEST });
  return [window, answer].filter((end) => end !== undefined).reduce((one, other) => DateTime.max(one, other));
}

function awaitCustomer(
  { reason, reasons: why }: Asking,
  { now, end, againAt }: { now: DateTime; end: DateTime; againAt?: DateTime },
): Decision {
  const isUsedUp = reason === USED_UP;
  const known = isUsedUp ? why.slice(0, 1) : [];
  if (end > now) {
    const code = isUsedUp ? 'card_change_asked' : 'customer_asked';
    const again = againAt ? { againOn: againAt.toUTC().toFormat('yyyy-MM-dd') } : {};
    return {
      waitUntil: againAt ?? end,
      reason: isUsedUp ? USED_UP : 'waiting_for_the_customer',
      reasons: [...known, { code, ...again }],
    };
  }
  return {
    stop: true,
    reason: isUsedUp ? USED_UP : 'the_customer_did_not_act',
    reasons: isUsedUp ? [...known, { code: 'card_change_asked' }] : [{ code: 'customer_did_not_act' }],
  };
}

/** When no attempt is left, another card is the last chance. */
export function concludeWithCardChange(
  paymentCase: PaymentCase,
  now: DateTime,
  why: DecisionReason,
): Decision {
  return askCustomer(paymentCase, now, {
    suggestion: 'ACTION_SUGGESTION_CARD_CHANGE',
    reason: USED_UP,
    reasons: [why, { code: 'card_change_is_last_chance' }],
  });
}

/** Nothing was refused since the last request of the case. */
export function hasFinalRequest({ attempts, instructions }: PaymentCase): boolean {
  const latest = attempts.at(-1);
  return instructions.some(({ reason, at }) => reason === USED_UP && latest !== undefined && at >= latest.at);
}

export function givenEmails({ instructions }: PaymentCase, now: DateTime): GivenInstruction[] {
  return instructions.filter((given) => given.suggestion !== 'ACTION_SUGGESTION_RETRY' && given.at <= now);
}

/** Whole seconds, as an instruction is written; rounded up, so that it is never in the past. */
function nextEmailTime(emails: readonly GivenInstruction[], now: DateTime): DateTime {
  const soonest = now.millisecond === 0 ? now : now.startOf('second').plus({ seconds: 1 });
  return DateTime.max(soonest, ...emails.map(({ at }) => at.plus({ days: MIN_DAYS_BETWEEN_EMAILS })));
}
