/** Asking the customer for another card or a confirmation: how often, how far apart, and what it is worth. */
import type { DateTime } from 'luxon';
import type { Suggestion } from '../../contract/contract.ts';
import { limitsOf } from './caps.ts';
import type { Decision, GivenInstruction, PaymentCase } from './payment-case.ts';

export const MAX_MAILS = 3;
export const DAYS_BETWEEN_MAILS = 3;
/** Mails on the day of the failure are answered this often (stripe-facts 13.5); nothing better is published. */
export const ANSWERED = 0.13;
/** After the last suggestion of a case, how long its outcome may take. */
const LAST_WORD_HOURS = 24;
export const USED_UP = 'attempts_used_up';

export interface Asking {
  readonly suggestion: Suggestion;
  readonly reason: string;
  readonly reasons: readonly string[];
}

export function suggestMail(paymentCase: PaymentCase, now: DateTime, asking: Asking): Decision {
  return {
    ...asking,
    at: nextMailTime(givenMails(paymentCase, now), now),
    expectedGain: Math.round(paymentCase.amount * ANSWERED),
    propensity: 1,
    arm: 'rule',
  };
}

/** At most one mail for a hard decline, at most three for a case, with days between. */
export function askCustomer(paymentCase: PaymentCase, now: DateTime, asking: Asking): Decision {
  const mails = givenMails(paymentCase, now);
  const latest = paymentCase.attempts.at(-1);
  const isAsked = mails.some((mail) => latest && mail.at >= latest.at);
  if (isAsked) return awaitCustomer(paymentCase, now);
  if (mails.length >= MAX_MAILS) {
    const reasons = [`The customer was asked ${mails.length} times; more would not help.`];
    return { stop: true, reason: 'the_customer_was_asked_often_enough', reasons };
  }
  return suggestMail(paymentCase, now, asking);
}

/** The customer may act until the window closes; only then is the case given up. */
function awaitCustomer(paymentCase: PaymentCase, now: DateTime): Decision {
  const end = paymentCase.attempts.at(0)?.at.plus({ days: limitsOf(paymentCase).windowDays });
  if (end && end > now) {
    const reasons = ['The customer was asked; a retry before they act would be refused again.'];
    return { waitUntil: end, reason: 'waiting_for_the_customer', reasons };
  }
  const reasons = ['The customer was asked and did not act before the window ended.'];
  return { stop: true, reason: 'the_customer_did_not_act', reasons };
}

/** When no attempt is left the customer is asked for another card once, then the case is given up. */
export function concludeWithCardChange(paymentCase: PaymentCase, now: DateTime, why: string): Decision {
  const last = paymentCase.instructions.findLast((given) => given.reason === USED_UP);
  if (last) {
    const end = last.at.plus({ hours: LAST_WORD_HOURS });
    const reasons = [why, 'The customer was asked for another card as the last word.'];
    return end > now
      ? { waitUntil: end, reason: USED_UP, reasons }
      : { stop: true, reason: USED_UP, reasons };
  }
  if (givenMails(paymentCase, now).length >= MAX_MAILS)
    return { stop: true, reason: USED_UP, reasons: [why] };
  const reasons = [why, 'Another card is the last chance: the customer is asked once.'];
  return suggestMail(paymentCase, now, {
    suggestion: 'ACTION_SUGGESTION_CARD_CHANGE',
    reason: USED_UP,
    reasons,
  });
}

/** Nothing was refused since the last request of the case. */
export function hasLastWord({ attempts, instructions }: PaymentCase): boolean {
  const latest = attempts.at(-1);
  return instructions.some(({ reason, at }) => reason === USED_UP && latest !== undefined && at >= latest.at);
}

export function givenMails({ instructions }: PaymentCase, now: DateTime): GivenInstruction[] {
  return instructions.filter((given) => given.suggestion !== 'ACTION_SUGGESTION_RETRY' && given.at <= now);
}

/** Whole seconds, as an instruction is written; rounded up, so that it is never in the past. */
function nextMailTime(mails: readonly GivenInstruction[], now: DateTime): DateTime {
  const soonest = now.millisecond === 0 ? now : now.startOf('second').plus({ seconds: 1 });
  return mails
    .map((mail) => mail.at.plus({ days: DAYS_BETWEEN_MAILS }))
    .reduce((latest, rested) => (rested > latest ? rested : latest), soonest);
}
