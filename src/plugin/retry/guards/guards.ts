/** Guards of payments in order: the first objection decides. Pure. */
import { DateTime } from 'luxon';
import { toIso } from '../../../core/base/clock.ts';
import { CARD_REPORTED, MISSING_PAYMENT_METHOD } from '../../../core/contract/failed-transaction.ts';
import { classifyDecline, type DeclineClass } from '../../../core/declines/decline-classes.ts';
import { findDebitScheme } from '../../../core/declines/find-decline.ts';
import type { AttemptLimits } from '../../../core/limits/attempt-limits.ts';
import { findFundsRest } from '../../../core/limits/card-rest.ts';
import { findEqualRest } from '../../../core/limits/card-windows.ts';
import { isNeverRetried } from '../../../core/limits/not-retried.ts';
import type { InstructedEmail } from '../../actions/action-kinds.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { StoredAttempt } from '../../store/tables/retry/attempts.ts';
import type { WatchedPayment } from '../../store/tables/retry/signals.ts';
import type { OpenWarning } from '../../store/tables/sync/card-warnings.ts';
import {
  asksInstead,
  type Follows,
  findObjection,
  type Guard,
  guard,
  type Objection,
  type Verdict,
} from '../actions/objection.ts';
import type { InvoiceHolds } from '../invoice/invoice-holds.ts';
import type { PayableInvoice, PaymentMethodFacts } from '../invoice/payable-invoice.ts';
import { CANCEL_ASKS } from './cancel-request.ts';
import { type CeilingContext, checkCeilings } from './card-change-ceilings.ts';
import {
  type CardQuestion,
  findFraudReport,
  isBeforeCardChange,
  isCardChange,
  isPayment,
  isRenewed,
  listBindingDeclines,
  onSameCard,
} from './card-history.ts';
import { COLLECTION_GUARDS, type CollectionFacts } from './collection-guards.ts';
import { checkLimits } from './network-limits.ts';
import {
  HORIZON,
  PAYER_DISPUTES,
  POSTPONED,
  PROCESSING,
  STRIPE_RETRY_NEAR,
  SUBSCRIBED_AGAIN,
} from './shared-guards.ts';
import { SIGNAL_BINDS } from './signal-guard.ts';

export interface GuardContext extends CollectionFacts, CeilingContext {
  readonly action: StoredAction;
  readonly invoice: PayableInvoice;
  /** The retry signal's recommendation, if binding (RETRY_SIGNAL). */
  readonly watched?: WatchedPayment | undefined;
  /** The method to be charged. */
  readonly method: PaymentMethodFacts | undefined;
  /** The holder's open fraud report of the card. */
  readonly warning: OpenWarning | undefined;
  readonly limits: AttemptLimits;
  /** All attempts on this invoice, and on this card in the last 30 days, with earlier declines; oldest first, without the open one. */
  readonly attempts: readonly StoredAttempt[];
}

/** Facts for counting attempts. */
export interface CountContext extends CardQuestion {
  readonly invoice: Pick<PayableInvoice, 'id' | 'amountRemaining'>;
  readonly limits: AttemptLimits;
}

/** Facts for judging one more attempt without asking Stripe. */
export interface CardContext extends CountContext {
  readonly invoice: Pick<PayableInvoice, 'id' | 'amountRemaining' | 'currency'> & {
    readonly subscription?: { readonly id: string } | undefined;
  };
  readonly holds: Pick<InvoiceHolds, 'releasedAt'>;
}

const COUNTING_GUARDS: readonly Guard<CountContext>[] = [
  guard('few_attempts', checkFewAttempts),
  guard('network_limits', checkNetworkLimits),
];

const CARD_GUARDS: readonly Guard<CardContext>[] = [
  guard('hard_decline', checkHardDecline),
  ...COUNTING_GUARDS,
  guard('equal_amount', checkAmount),
];

export const GUARDS: readonly Guard<GuardContext>[] = [
  guard('action_closed', ({ action }) => action.closedAt !== null && (action.reason ?? { code: 'stopped' })),
  HORIZON,
  ...COLLECTION_GUARDS,
  CANCEL_ASKS,
  POSTPONED,
  SUBSCRIBED_AGAIN,
  SIGNAL_BINDS,
  PROCESSING,
  guard('payment_method', ({ method, action, invoice }) => {
    const isBare = invoice.chosenMethods.length === 0;
    const follows: Follows | undefined = isBare ? { untried: MISSING_PAYMENT_METHOD } : undefined;
    if (!method)
      return {
        reason: { code: 'no_payment_method' },
        follows: { ...asksInstead('card_update_email'), ...follows },
      };
    const isFree = action.paymentMethod === null || action.cause === 'backup';
    const isMeant = isFree || invoice.chosenMethods.includes(method.id);
    return !isMeant && { reason: { code: 'method_not_chosen', paymentMethod: method.id }, follows };
  }),
  guard('fraud_reported', ({ warning, holds }) => {
    const reason = findFraudReport(warning, holds);
    return reason && { reason, follows: { ...asksInstead('card_update_email'), untried: CARD_REPORTED } };
  }),
  PAYER_DISPUTES,
  guard('indian_card', (context) => {
    const { country = '' } = context.method ?? {};
    const isRetry = isNeverRetried(country) && onSameCard(context).some((one) => isOfInvoice(context, one));
    const follows = asksInstead('confirm_payment_email');
    return isRetry && { reason: { code: 'card_not_retried', country }, follows };
  }),
  STRIPE_RETRY_NEAR,
  ...CARD_GUARDS,
  guard('ceiling', checkCeilings),
];

/** Ignores attempts before the card was entered again. */
const isOfInvoice = (context: CountContext, attempt: StoredAttempt) =>
  attempt.invoiceId === context.invoice.id && !isBeforeCardChange(context, attempt);

/** Undefined if the invoice may be charged. */
export function judge(context: GuardContext): Objection | undefined {
  const objection = findObjection(GUARDS, context);
  return objection && isCardChange(context.action)
    ? { ...objection, ...objection.follows?.forNewCard }
    : objection;
}

/** Judges by past attempts only. */
export function judgeCard(context: CardContext): Objection | undefined {
  return findObjection(CARD_GUARDS, context);
}

/** Why no attempt with this method is left; undefined while one is, regardless of its time. */
export function findUsedUp(context: CountContext): Reason | undefined {
  const objections = COUNTING_GUARDS.flatMap((one) => findObjection([one], context) ?? []);
  return objections.find(({ until }) => until === undefined)?.reason;
}

/** Number of attempts used on the invoice with this method. */
export function countUsed(context: CountContext): number {
  return onSameCard(context).filter(
    (attempt) => attempt.invoiceId === context.invoice.id && !isPayment(attempt),
  ).length;
}

/** Customers are not asked about declines that only the merchant can fix. */
const ASKED_AFTER: Partial<Readonly<Record<DeclineClass, InstructedEmail>>> = {
  needs_new_card: 'card_update_email',
  needs_customer: 'confirm_payment_email',
};

function checkHardDecline(context: CardContext): Verdict {
  let wait: { until: DateTime; reason: Reason } | undefined;
  for (const { class: decline, waitHours = 0, because, startedAt } of listBindingDeclines(context)) {
    const until = startedAt.plus({ hours: waitHours });
    if (decline === 'wait' && until > DateTime.max(context.now, wait?.until ?? context.now)) {
      wait = { until, reason: { code: 'decline_asks_to_wait', because } };
    } else if (decline !== 'wait' && decline !== 'retryable') {
      const asks = ASKED_AFTER[decline];
      return {
        reason: { code: 'hard_decline', because, declinedAt: toIso(startedAt) },
        follows: asks && asksInstead(asks),
      };
    }
  }
  return wait;
}

/** Limits attempts after unexplained declines; another card starts afresh. */
function checkFewAttempts(context: CountContext): Verdict {
  const declined = onSameCard(context).filter(
    (attempt) =>
      isOfInvoice(context, attempt) && attempt.outcome === 'declined' && !isRenewed(context, attempt),
  );
  const last = declined.at(-1);
  if (!last) return undefined;
  const { isUnexplained, maxAttempts, because } = classifyDecline(last);
  const enough = isUnexplained ? context.limits.unexplained : maxAttempts;
  if (enough === undefined || declined.length < enough) return undefined;
  return {
    reason: { code: 'few_attempts', count: declined.length, because },
    follows: asksInstead('card_update_email'),
  };
}

/** Rests after other invoices' attempts with the card in the same currency. Bank debits are excluded: their outcome is known days later. */
function checkAmount(context: CardContext): Verdict {
  const { now, invoice, method } = context;
  if (findDebitScheme(method?.type)) return undefined;
  const rest = checkFunds(context);
  const equal = findEqualRest(
    listAnswers(context).filter(({ invoiceId }) => invoiceId !== invoice.id),
    { amount: invoice.amountRemaining, subscriptionId: invoice.subscription?.id },
  );
  if (!equal || equal.untilMs <= Math.max(now.toMillis(), rest?.until.toMillis() ?? 0)) return rest;
  const until = DateTime.fromMillis(equal.untilMs, { zone: 'utc' });
  return { until, reason: { code: 'equal_amount', invoiceId: equal.attempt.invoiceId } };
}

/** Attempts with the card in the invoice's currency. */
function listAnswers(context: CardContext) {
  return onSameCard(context)
    .filter(({ currency }) => currency === context.invoice.currency)
    .map((attempt) => ({
      attempt,
      invoiceId: attempt.invoiceId,
      subscriptionId: attempt.subscriptionId,
      atMs: attempt.startedAt.toMillis(),
      amount: attempt.amount ?? undefined,
      isPaid: isPayment(attempt),
      codes: attempt,
    }));
}

function checkFunds(context: CardContext): { until: DateTime; reason: Reason } | undefined {
  const { now, invoice, limits } = context;
  const answers = listAnswers(context)
    .filter(({ invoiceId, isPaid }) => invoiceId !== invoice.id || isPaid)
    .filter(({ attempt }) => !isBeforeCardChange(context, attempt));
  const asked = { amount: invoice.amountRemaining, gapHours: limits.minGapHours };
  const rest = findFundsRest(answers, asked);
  if (!rest || rest.untilMs <= now.toMillis()) return undefined;
  const until = DateTime.fromMillis(rest.untilMs, { zone: 'utc' });
  return { until, reason: { code: 'funds_lacked', invoiceId: rest.refusal.invoiceId } };
}

function checkNetworkLimits(context: CountContext): Verdict {
  const { invoice, method, now, action, limits } = context;
  const onCard = onSameCard(context);
  const attempts = onCard.map((attempt) => ({
    invoiceId: attempt.invoiceId,
    amount: attempt.amount ?? undefined,
    network: attempt.brand ?? undefined,
    startedAt: attempt.startedAt,
    isPaid: isPayment(attempt),
  }));
  return checkLimits(attempts, {
    now,
    limits,
    invoiceId: invoice.id,
    amount: invoice.amountRemaining,
    networks: method?.networks ?? [],
    methodType: method?.type,
    country: method?.country,
    isNewMethod: isCardChange(action) && onCard.every((attempt) => attempt.paymentMethod !== method?.id),
  });
}
