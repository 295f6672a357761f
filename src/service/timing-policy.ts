/** The timing policy: what to suggest for an unpaid invoice, and when. Pure: `now` is an argument. */
import { DateTime } from 'luxon';
import type { Suggestion } from '../contract.ts';
import { classifyDecline, type DeclineClass } from './classify-decline.ts';
import { MAX_CASE_AGE_DAYS, nextSlot, type Schedule, scheduleFor, WINDOW_DAYS } from './retry-schedule.ts';

export interface FailedAttempt {
  at: DateTime;
  code: string | undefined;
  methodType: string;
}

/** An instruction that was sent, or refused by its receiver; not one that was replaced before its time. */
export interface GivenInstruction {
  suggestion: Suggestion;
  /** Its ideal retry time. */
  at: DateTime;
  reason: string;
}

export interface PaymentCase {
  /** IANA zone of the customer. */
  zone: string;
  /** Every failed transaction, Stripe's own too, oldest first. */
  attempts: readonly FailedAttempt[];
  instructions: readonly GivenInstruction[];
}

/** `waitUntil`: nothing to say now; look again then. `stop`: the case is given up. */
export type Decision =
  | { suggestion: Suggestion; at: DateTime; reason: string }
  | { waitUntil: DateTime; reason: string }
  | { stop: true; reason: string };

export const MAX_MAILS = 3;
export const DAYS_BETWEEN_MAILS = 3;
/** After the last suggestion of a case, how long its outcome may take. */
const LAST_WORD_HOURS = 24;

interface View extends PaymentCase {
  first: FailedAttempt;
  latest: FailedAttempt;
  now: DateTime;
}

/** Each class has its rule; facts 5.4. */
const RULES: Record<DeclineClass, (view: View) => Decision> = {
  never: () => ({ stop: true, reason: 'blocked_by_the_merchant_or_final' }),
  hard: (view) => askCustomer(view, 'ACTION_SUGGESTION_CARD_CHANGE', 'hard_decline'),
  update: (view) => askCustomer(view, 'ACTION_SUGGESTION_CARD_CHANGE', 'payment_details_must_change'),
  authentication: (view) =>
    askCustomer(view, 'ACTION_SUGGESTION_CARD_CONFIRMATION', 'authentication_required'),
  soft: (view) => retryOnSchedule(view, scheduleFor('soft'), 'soft_decline'),
  generic: (view) => retryOnSchedule(view, scheduleFor('generic'), 'generic_decline'),
  bank_retry: (view) => retryOnSchedule(view, scheduleFor(view.latest.methodType), 'bank_debit_returned'),
};

/** The next suggestion for a case. Never one in the past, never one over the attempts of its schedule. */
export function decideNext(paymentCase: PaymentCase, now: DateTime): Decision {
  const first = paymentCase.attempts.at(0);
  const latest = paymentCase.attempts.at(-1);
  if (!first || !latest) return { stop: true, reason: 'no_failed_transaction' };
  const isStale = now > first.at.plus({ days: MAX_CASE_AGE_DAYS });
  if (isStale && paymentCase.instructions.length === 0)
    return { stop: true, reason: 'older_than_the_retry_window_when_first_seen' };
  const view = { ...paymentCase, first, latest, now };
  return RULES[classifyDecline(latest.methodType, latest.code)](view);
}

/** At most one mail for a hard decline, at most three for a case, with days between. */
function askCustomer(view: View, suggestion: Suggestion, reason: string): Decision {
  const mails = givenMails(view);
  const isAsked = mails.some((mail) => mail.at >= view.latest.at);
  if (isAsked) return awaitCustomer(view);
  if (mails.length >= MAX_MAILS) return { stop: true, reason: 'the_customer_was_asked_often_enough' };
  return { suggestion, at: nextMailTime(mails, view.now), reason };
}

/** The customer may act until the window closes; only then is the case given up. */
function awaitCustomer({ first, now }: View): Decision {
  const end = first.at.plus({ days: WINDOW_DAYS });
  if (end > now) return { waitUntil: end, reason: 'waiting_for_the_customer' };
  return { stop: true, reason: 'the_customer_did_not_act' };
}

function retryOnSchedule(view: View, schedule: Schedule, reason: string): Decision {
  if (attemptsMade(view) >= schedule.maxAttempts) return concludeWithCardChange(view);
  const at = nextSlot(schedule, {
    first: view.first.at,
    last: view.latest.at,
    now: view.now,
    zone: view.zone,
  });
  return at ? { suggestion: 'ACTION_SUGGESTION_RETRY', at, reason } : concludeWithCardChange(view);
}

/**
 * Every failed transaction counts, and so does a suggested retry whose outcome was never heard: the caps of facts 5.10
 * and the schemes' limits (facts 5.8) hold whether or not we were told.
 */
function attemptsMade({ attempts, instructions, now }: View): number {
  const suggested = instructions.filter(
    (given) => given.suggestion === 'ACTION_SUGGESTION_RETRY' && given.at <= now,
  );
  return Math.max(attempts.length, suggested.length + 1);
}

const USED_UP = 'attempts_used_up';

/** When no attempt is left the customer is asked for another card once, then the case is given up. */
function concludeWithCardChange(view: View): Decision {
  const last = view.instructions.findLast((given) => given.reason === USED_UP);
  if (last) {
    const end = last.at.plus({ hours: LAST_WORD_HOURS });
    return end > view.now ? { waitUntil: end, reason: USED_UP } : { stop: true, reason: USED_UP };
  }
  const mails = givenMails(view);
  if (mails.length >= MAX_MAILS) return { stop: true, reason: USED_UP };
  return { suggestion: 'ACTION_SUGGESTION_CARD_CHANGE', at: nextMailTime(mails, view.now), reason: USED_UP };
}

function givenMails({ instructions, now }: View): GivenInstruction[] {
  return instructions.filter((given) => given.suggestion !== 'ACTION_SUGGESTION_RETRY' && given.at <= now);
}

/** Whole seconds, as an instruction is written; rounded up, so that it is never in the past. */
function nextMailTime(mails: readonly GivenInstruction[], now: DateTime): DateTime {
  const soonest = now.millisecond === 0 ? now : now.startOf('second').plus({ seconds: 1 });
  const rested = mails.map((mail) => mail.at.plus({ days: DAYS_BETWEEN_MAILS }));
  return DateTime.max(soonest, ...rested);
}
