/** What each kind of refusal calls for: another card, a confirmation, a retry, or nothing (facts 5.4). */
import { DateTime } from 'luxon';
import type { DeclineClass } from '../classify-decline.ts';
import {
  ANSWERED,
  type Asking,
  askCustomer,
  concludeWithCardChange,
  givenMails,
  hasLastWord,
  suggestMail,
} from './ask-customer.ts';
import { classifyCase, countAttempts, limitsOf } from './caps.ts';
import type { ArmChoice } from './compare-arms.ts';
import type { Decision, FailedAttempt, PaymentCase } from './payment-case.ts';
import { describeDebit, describeRetry } from './retry-in-words.ts';
import { MAX_PRESENTMENTS, timeBankDebit } from './time-bank-debit.ts';
import { type Knowledge, timeRetry } from './time-retry.ts';

export interface DecisionContext extends Knowledge {
  readonly choice: ArmChoice;
}

interface View {
  readonly paymentCase: PaymentCase;
  readonly first: FailedAttempt;
  readonly latest: FailedAttempt;
  readonly now: DateTime;
  /** Made so far, the first payment included. */
  readonly made: number;
}

/** A case that begins this much longer ago than its window when first seen is history, not work. */
const STALE_AFTER_DAYS = 5;

export function decideByClass(paymentCase: PaymentCase, now: DateTime, context: DecisionContext): Decision {
  const first = paymentCase.attempts.at(0);
  const latest = paymentCase.attempts.at(-1);
  if (!first || !latest)
    return {
      stop: true,
      reason: 'no_failed_transaction',
      reasons: ['No payment of this invoice has failed.'],
    };
  const { windowDays } = limitsOf(paymentCase);
  const isStale = now > first.at.plus({ days: windowDays + STALE_AFTER_DAYS });
  if (isStale && paymentCase.instructions.length === 0) {
    const reasons = [
      `The first payment failed on ${first.at.toISODate()}, before the window of ${windowDays} days.`,
    ];
    return { stop: true, reason: 'older_than_the_retry_window_when_first_seen', reasons };
  }
  const view = { paymentCase, first, latest, now, made: countAttempts(paymentCase, now) };
  return RULES[classifyCase(paymentCase)](view, context);
}

const RULES: Readonly<Record<DeclineClass, (view: View, context: DecisionContext) => Decision>> = {
  never: () => ({
    stop: true,
    reason: 'blocked_by_the_merchant_or_final',
    reasons: ['The merchant blocked it, or nobody is left to pay: neither a retry nor a mail.'],
  }),
  hard: (view) => ask(view, CARD_CHANGE, 'hard_decline', 'this card must not be tried again'),
  update: (view) =>
    ask(view, CARD_CHANGE, 'payment_details_must_change', 'the details of the card must change'),
  authentication: (view) =>
    ask(view, CONFIRMATION, 'authentication_required', 'the customer must confirm the payment'),
  soft: (view, context) => retryCard(view, context, 'soft_decline'),
  generic: (view, context) => retryCard(view, context, 'generic_decline'),
  bank_retry: retryDebit,
};

const CARD_CHANGE = 'ACTION_SUGGESTION_CARD_CHANGE';
const CONFIRMATION = 'ACTION_SUGGESTION_CARD_CONFIRMATION';
const RETRY = 'ACTION_SUGGESTION_RETRY';

function ask(
  { paymentCase, latest, now }: View,
  suggestion: Asking['suggestion'],
  reason: string,
  meaning: string,
): Decision {
  const reasons = [`The bank answered ${latest.code ?? 'without a code'}: ${meaning}.`];
  return askCustomer(paymentCase, now, { suggestion, reason, reasons });
}

function retryCard(view: View, context: DecisionContext, reason: string): Decision {
  const { paymentCase, now, made } = view;
  const { maxAttempts, attemptCost } = limitsOf(paymentCase);
  if (hasLastWord(paymentCase))
    return concludeWithCardChange(paymentCase, now, 'The attempts of this case are over.');
  if (made >= maxAttempts)
    return concludeWithCardChange(paymentCase, now, `All ${maxAttempts} attempts are used.`);
  const retry = timeRetry({ ...view, tries: maxAttempts - made, choice: context.choice }, context);
  if (!retry) return concludeWithCardChange(paymentCase, now, 'No attempt that is left is worth its cost.');
  if (retry.planChance < ANSWERED && givenMails(paymentCase, now).length === 0) {
    const odds = `${Math.round(retry.planChance * 100)} in 100`;
    const reasons = [
      `The attempts that are left would succeed in ${odds}: asking for another card is worth more.`,
    ];
    return suggestMail(paymentCase, now, {
      suggestion: CARD_CHANGE,
      reason: 'card_change_is_worth_more',
      reasons,
    });
  }
  return {
    suggestion: RETRY,
    at: DateTime.fromMillis(retry.ms, { zone: 'utc' }),
    expectedGain: Math.round(retry.chance * paymentCase.amount - attemptCost),
    propensity: retry.propensity,
    arm: retry.arm,
    reason,
    reasons: describeRetry(retry, paymentCase, made),
  };
}

function retryDebit(view: View): Decision {
  const { paymentCase, now, made, latest } = view;
  if (made >= MAX_PRESENTMENTS)
    return concludeWithCardChange(paymentCase, now, `All ${MAX_PRESENTMENTS} presentments are used.`);
  const ms = timeBankDebit(paymentCase, view);
  if (ms === undefined) return concludeWithCardChange(paymentCase, now, 'No bank day is left in the window.');
  return {
    suggestion: RETRY,
    at: DateTime.fromMillis(ms, { zone: 'utc' }),
    expectedGain: 0,
    propensity: 1,
    arm: 'rule',
    reason: 'bank_debit_returned',
    reasons: describeDebit(ms, paymentCase, { made, methodType: latest.methodType }),
  };
}
