/** What each kind of refusal calls for: another card, a confirmation, a retry, or nothing (stripe-facts 5.4). */
import { DateTime } from 'luxon';
import { MISSING_PAYMENT_METHOD } from '../../contract/failed-transaction.ts';
import type { DeclineClass } from '../decide/classify-decline.ts';
import {
  ANSWERED,
  type Asking,
  askCustomer,
  concludeWithCardChange,
  givenMails,
  hasLastWord,
  suggestMail,
} from './ask-customer.ts';
import { countAttempts, limitsOf } from './caps.ts';
import { type CardRecord, readCardRecord } from './card-record.ts';
import type { ArmChoice } from './compare/compare-arms.ts';
import { describeDebit, describeRetry } from './describe-retry.ts';
import type { Decision, FailedAttempt, HoldoutDraw, PaymentCase } from './payment-case.ts';
import { timeBankDebit } from './timing/time-bank-debit.ts';
import { type Knowledge, timeRetry } from './timing/time-retry.ts';

export interface DecisionContext extends Knowledge {
  readonly choice: ArmChoice;
  readonly draw: HoldoutDraw;
}

interface View {
  readonly paymentCase: PaymentCase;
  readonly first: FailedAttempt;
  readonly latest: FailedAttempt;
  readonly now: DateTime;
  /** Made so far, the first payment included. */
  readonly made: number;
  readonly card: CardRecord;
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
  const made = countAttempts(paymentCase, now);
  const card = readCardRecord(paymentCase, latest, now);
  const view = { paymentCase, first, latest, now, made, card };
  if (paymentCase.pause) return awaitCollection(view);
  return RULES[card.class](view, context);
}

const RULES: Readonly<Record<DeclineClass, (view: View, context: DecisionContext) => Decision>> = {
  never: () => ({
    stop: true,
    reason: 'blocked_by_the_merchant_or_final',
    reasons: ['The merchant blocked it, or nobody is left to pay: neither a retry nor a mail.'],
  }),
  hard: (view) => ask(view, CARD_CHANGE, 'hard_decline', 'this card must not be tried again'),
  update: (view) =>
    view.card.code === MISSING_PAYMENT_METHOD
      ? askForCard(view)
      : ask(view, CARD_CHANGE, 'payment_details_must_change', 'the details of the card must change'),
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
  { paymentCase, card, now }: View,
  suggestion: Asking['suggestion'],
  reason: string,
  meaning: string,
): Decision {
  const reasons = [`The bank answered ${card.code ?? 'without a code'}: ${meaning}.`];
  return askCustomer(paymentCase, now, { suggestion, reason, reasons });
}

function askForCard({ paymentCase, now }: View): Decision {
  const reasons = ['There is no payment method to charge: the customer is asked for one.'];
  return askCustomer(paymentCase, now, { suggestion: CARD_CHANGE, reason: MISSING_PAYMENT_METHOD, reasons });
}

/** Of the case while the merchant has paused collection. */
export const COLLECTION_PAUSED = 'collection_is_paused';

/** Nothing is asked, so no attempt is used up. Its end is told when it comes; the window closes meanwhile or not. */
function awaitCollection({ paymentCase, first, now }: View): Decision {
  const { until } = paymentCase.pause ?? {};
  const end = first.at.plus({ days: limitsOf(paymentCase).windowDays });
  const known = until && until < end ? until : end;
  const told = until ? ` until ${until.toUTC().toFormat("yyyy-MM-dd HH:mm 'UTC'")}` : '';
  const reasons = [
    `The merchant has paused collection${told}; neither a retry nor a mail goes out meanwhile.`,
  ];
  if (now < known) return { waitUntil: known, reason: COLLECTION_PAUSED, reasons };
  if (now < end) return { waitUntil: end, reason: COLLECTION_PAUSED, reasons };
  return { stop: true, reason: COLLECTION_PAUSED, reasons: [...reasons, 'The window has closed.'] };
}

function retryCard(view: View, context: DecisionContext, reason: string): Decision {
  const { draw } = context;
  return { ...chooseRetry(view, context, reason), draw };
}

function chooseRetry(view: View, context: DecisionContext, reason: string): Decision {
  const { paymentCase, now, made, card } = view;
  const { perInvoice, unexplained: mostUnexplained, attemptCost } = limitsOf(paymentCase);
  if (made >= perInvoice)
    return concludeWithCardChange(paymentCase, now, `All ${perInvoice} attempts are used.`);
  const unexplained = countUnexplained(view);
  if (unexplained !== undefined && unexplained >= mostUnexplained)
    return concludeWithCardChange(paymentCase, now, enoughUnexplained(unexplained, card));
  if (hasLastWord(paymentCase)) return concludeWithCardChange(paymentCase, now, noneLeft(context));
  const left = Math.min(perInvoice - made, mostUnexplained - (unexplained ?? Number.NEGATIVE_INFINITY));
  const { restUntil, isPassing } = card;
  const retry = timeRetry({ ...view, ...context, restUntil, isPassing, tries: left }, context);
  if (!retry) return concludeWithCardChange(paymentCase, now, noneLeft(context));
  const isTimed = retry.arm !== 'static' && !retry.isPrompt;
  if (isTimed && retry.planChance < ANSWERED && givenMails(paymentCase, now).length === 0)
    return preferCardChange(view, context);
  return {
    suggestion: RETRY,
    at: DateTime.fromMillis(retry.ms, { zone: 'utc' }),
    expectedGain: Math.round(retry.chance * paymentCase.amount - attemptCost),
    propensity: retry.propensity,
    arm: retry.arm,
    reason,
    reasons: describeRetry(retry, paymentCase, { made, unexplained }),
  };
}

/**
 * Attempts with this card, when its latest decline names no cause: the plugin makes no more than a few of them. One
 * whose outcome was never heard counts.
 */
function countUnexplained({ card, made, paymentCase }: View): number | undefined {
  const unreported = Math.max(0, made - paymentCase.attempts.length);
  return card.class === 'generic' ? card.declined + unreported : undefined;
}

function enoughUnexplained(count: number, { code }: CardRecord): string {
  return `${count} attempts with this card failed, the last with ${code ?? 'no code'}, which names no cause: more are not made.`;
}

function noneLeft({ draw }: DecisionContext): string {
  return draw.isHeldOut
    ? 'The static schedule of this case is over.'
    : 'No attempt that is left is worth its cost.';
}

function preferCardChange({ paymentCase, now }: View, { draw }: DecisionContext): Decision {
  const reasons = ['The attempts that are left are worth less than a request for another card.'];
  const asking = { suggestion: CARD_CHANGE, reason: 'card_change_is_worth_more', reasons } as const;
  // The static schedule would have gone on.
  return { ...suggestMail(paymentCase, now, asking), propensity: 1 - draw.percent / 100 };
}

function retryDebit(view: View): Decision {
  const { paymentCase, now, made, latest } = view;
  const { debitPresentments } = limitsOf(paymentCase);
  if (made >= debitPresentments)
    return concludeWithCardChange(paymentCase, now, `All ${debitPresentments} presentments are used.`);
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
