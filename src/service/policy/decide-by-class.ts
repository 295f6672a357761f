/** What each kind of refusal calls for: another card, a confirmation, a retry, or nothing (stripe-facts 5.4). */
import { DateTime } from 'luxon';
import { toIsoSeconds } from '../../core/base/clock.ts';
import { MISSING_PAYMENT_METHOD } from '../../core/contract/failed-transaction.ts';
import { isNeverRetried } from '../../core/limits/not-retried.ts';
import type { DecisionReason } from '../reasons/decision-reason.ts';
import {
  ANSWERED,
  type Asking,
  askCustomer,
  concludeWithCardChange,
  givenEmails,
  hasFinalRequest,
  suggestEmail,
} from './ask-customer.ts';
import { countAttempts, limitsOf } from './caps.ts';
import { type CardRecord, readCardRecord } from './card-record.ts';
import type { DeclineClass } from './classify-decline.ts';
import { explainDebit, explainRetry } from './explain-retry.ts';
import { findPayerSignal, type PayerSignal } from './payer-signal.ts';
import {
  aboutNextMethod,
  type Decision,
  type FailedAttempt,
  type HoldoutDraw,
  type PaymentCase,
} from './payment-case.ts';
import { timeBankDebit } from './timing/time-bank-debit.ts';
import { timeRetry } from './timing/time-retry.ts';

interface View {
  readonly paymentCase: PaymentCase;
  /** The invoice's first failure with any method: its window begins then. */
  readonly first: FailedAttempt;
  /** The latest failure with the method that would be charged next. */
  readonly latest: FailedAttempt;
  readonly now: DateTime;
  /** Made so far with that method, the first payment included. */
  readonly made: number;
  readonly card: CardRecord;
  /** The latest news from the payer's other invoices. */
  readonly signal: PayerSignal | undefined;
}

/** A case that begins this much longer ago than its window when first seen is history, not work. */
const STALE_AFTER_DAYS = 5;
const MS_PER_DAY = 86_400_000;

export function decideByClass(given: PaymentCase, now: DateTime, draw: HoldoutDraw): Decision {
  const paymentCase = aboutNextMethod(given);
  const first = given.attempts.at(0);
  const latest = paymentCase.attempts.at(-1);
  if (!first || !latest)
    return { stop: true, reason: 'no_failed_transaction', reasons: [{ code: 'no_failed_payment' }] };
  const { windowDays } = limitsOf(paymentCase);
  const ageDays = (now.toMillis() - first.at.toMillis()) / MS_PER_DAY;
  if (ageDays > windowDays + STALE_AFTER_DAYS && paymentCase.instructions.length === 0) {
    const failedOn = first.at.toFormat('yyyy-MM-dd');
    const why = { code: 'first_failure_before_window', failedOn, days: windowDays } as const;
    return { stop: true, reason: 'older_than_the_retry_window_when_first_seen', reasons: [why] };
  }
  const made = countAttempts(paymentCase, now);
  const card = readCardRecord(paymentCase, latest, now);
  const signal = findPayerSignal(paymentCase);
  const view = { paymentCase, first, latest, now, made, card, signal };
  if (paymentCase.pause) return awaitCollection(view);
  return RULES[card.class](view, draw);
}

const RULES: Readonly<Record<DeclineClass, (view: View, draw: HoldoutDraw) => Decision>> = {
  never: () => ({
    stop: true,
    reason: 'blocked_by_the_merchant_or_final',
    reasons: [{ code: 'final_decline' }],
  }),
  hard: (view) => ask(view, CARD_CHANGE, 'hard_decline', 'another_card'),
  update: (view) =>
    view.card.code === MISSING_PAYMENT_METHOD
      ? askForCard(view)
      : ask(view, CARD_CHANGE, 'payment_details_must_change', 'new_details'),
  authentication: (view) => ask(view, CONFIRMATION, 'authentication_required', 'confirmation'),
  soft: (view, draw) => retryCard(view, draw, 'soft_decline'),
  generic: (view, draw) => retryCard(view, draw, 'generic_decline'),
  bank_retry: retryDebit,
};

const CARD_CHANGE = 'ACTION_SUGGESTION_CARD_CHANGE';
const CONFIRMATION = 'ACTION_SUGGESTION_CARD_CONFIRMATION';
const RETRY = 'ACTION_SUGGESTION_RETRY';

function ask(
  { paymentCase, card, now }: View,
  suggestion: Asking['suggestion'],
  reason: string,
  remedy: Extract<DecisionReason, { code: 'bank_answered' }>['remedy'],
): Decision {
  const answer = card.code === undefined ? {} : { declineCode: card.code };
  const reasons = [{ code: 'bank_answered', remedy, ...answer }] as const;
  return askCustomer(paymentCase, now, { suggestion, reason, reasons });
}

function askForCard({ paymentCase, now }: View): Decision {
  const reasons = [{ code: 'no_payment_method' }] as const;
  return askCustomer(paymentCase, now, { suggestion: CARD_CHANGE, reason: MISSING_PAYMENT_METHOD, reasons });
}

/** The reason of a case while the merchant has paused collection. */
export const COLLECTION_PAUSED = 'collection_is_paused';

/** Nothing is asked, so no attempt is used up. Its end is a message of its own; the window closes meanwhile or not. */
function awaitCollection({ paymentCase, first, now }: View): Decision {
  const { until } = paymentCase.pause ?? {};
  const end = first.at.plus({ days: limitsOf(paymentCase).windowDays });
  const next = until && now < until && until < end ? until : end;
  const reasons: readonly DecisionReason[] = [
    { code: 'collection_paused', ...(until ? { until: toIsoSeconds(until) } : {}) },
  ];
  if (now < next) return { waitUntil: next, reason: COLLECTION_PAUSED, reasons };
  return { stop: true, reason: COLLECTION_PAUSED, reasons: [...reasons, { code: 'window_closed' }] };
}

function retryCard(view: View, draw: HoldoutDraw, reason: string): Decision {
  const { paymentCase, now } = view;
  const { country = '' } = paymentCase;
  if (isNeverRetried(country)) {
    const reasons = [{ code: 'card_not_retried', country }] as const;
    return askCustomer(paymentCase, now, { suggestion: CONFIRMATION, reason: 'card_not_retried', reasons });
  }
  return { ...chooseRetry(view, draw, reason), draw };
}

function chooseRetry(view: View, draw: HoldoutDraw, reason: string): Decision {
  const { paymentCase, now, made, card, signal } = view;
  const { perInvoice, unexplained: mostUnexplained } = limitsOf(paymentCase);
  if (made >= perInvoice)
    return concludeWithCardChange(paymentCase, now, { code: 'retries_used_up', max: perInvoice - 1 });
  const because = paymentCase.cardBarredBy;
  if (because) return concludeWithCardChange(paymentCase, now, { code: 'not_carried_out', because });
  const noneLeft = { code: draw.isHeldOut ? 'static_schedule_over' : 'no_attempt_worth_its_cost' } as const;
  const unexplained = countUnexplained(view);
  if (unexplained !== undefined && unexplained >= mostUnexplained)
    return concludeWithCardChange(paymentCase, now, enoughUnexplained(unexplained, card));
  const hasPaid = signal?.kind === 'paid';
  if (hasFinalRequest(paymentCase) && !hasPaid) return concludeWithCardChange(paymentCase, now, noneLeft);
  const left = Math.min(perInvoice - made, mostUnexplained - (unexplained ?? Number.NEGATIVE_INFINITY));
  const restUntil = DateTime.max(card.restUntil, signal?.restUntil ?? card.restUntil);
  const promptBy = hasPaid ? 'card_has_paid' : card.isPassing ? 'card_has_rested' : undefined;
  const retry = timeRetry({ ...view, restUntil, promptBy, retriesLeft: left, isHeldOut: draw.isHeldOut });
  if (!retry) return concludeWithCardChange(paymentCase, now, noneLeft);
  const odds = retry.way === 'morning' ? retry.odds : undefined;
  if (odds && odds.plan < ANSWERED && givenEmails(paymentCase, now).length === 0)
    return preferCardChange(view);
  return {
    suggestion: RETRY,
    at: DateTime.fromMillis(retry.ms, { zone: 'utc' }),
    ...(odds && { odds }),
    reason,
    reasons: explainRetry(retry, paymentCase, { made, unexplained }),
  };
}

/**
 * Attempts with this card, when its latest decline names no cause: the plugin makes no more than a few of them. One
 * whose outcome was never reported counts.
 */
function countUnexplained({ card, made, paymentCase }: View): number | undefined {
  const unreported = Math.max(0, made - paymentCase.attempts.length);
  return card.class === 'generic' ? card.declined + unreported : undefined;
}

function enoughUnexplained(count: number, { code }: CardRecord): DecisionReason {
  return {
    code: 'unexplained_declines_used_up',
    count,
    ...(code === undefined ? {} : { declineCode: code }),
  };
}

function preferCardChange({ paymentCase, now }: View): Decision {
  const reasons = [{ code: 'retries_worth_less_than_card_change' }] as const;
  return suggestEmail(paymentCase, now, {
    suggestion: CARD_CHANGE,
    reason: 'card_change_is_worth_more',
    reasons,
  });
}

function retryDebit(view: View): Decision {
  const { paymentCase, now, made, latest } = view;
  const { debitPresentments } = limitsOf(paymentCase);
  if (made >= debitPresentments)
    return concludeWithCardChange(paymentCase, now, { code: 'presentments_used_up', max: debitPresentments });
  const ms = timeBankDebit(paymentCase, view);
  if (ms === undefined) return concludeWithCardChange(paymentCase, now, { code: 'no_bank_day_left' });
  return {
    suggestion: RETRY,
    at: DateTime.fromMillis(ms, { zone: 'utc' }),
    reason: 'bank_debit_returned',
    reasons: explainDebit(ms, paymentCase, { made, methodType: latest.methodType }),
  };
}
