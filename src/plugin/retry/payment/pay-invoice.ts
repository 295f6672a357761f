import type { DateTime } from 'luxon';
import type { ActionCause } from '../../actions/action-cause.ts';
import type { InstructedEmail } from '../../actions/action-kinds.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { listAttemptsOfInvoice, type StoredAttempt } from '../../store/tables/retry/attempts.ts';
import { bindPaymentMethod } from '../../store/tables/retry/card-changes.ts';
import { findPause } from '../../store/tables/retry/pauses.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import type { ActionExecutor, ActionResult } from '../actions/action-result.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { type LeftOutBy, leaveToStripe } from '../invoice/observation.ts';
import type { PayableInvoice, PaymentMethodFacts } from '../invoice/payable-invoice.ts';
import { listUnreported } from '../invoice/unreported-attempts.ts';
import { beginAttempt, continueAttempt } from './carry-out-attempt.ts';
import { concludeAttempt, reasonOf } from './conclude-attempt.ts';
import { judgePayment, waitForDoubt } from './judge-payment.ts';
import { planKeeping } from './keep-card.ts';
import { reportStopped, type Stopped } from './untried-payment.ts';

/**
 * Pays an invoice once: read it, check the guards, record the attempt with its idempotency key, call Stripe, record the outcome. An
 * attempt without a known outcome, of any action, is settled before another one is made.
 */
export const payInvoice: ActionExecutor = async (deps, action) => {
  const { account, invoiceId } = action;
  const found = await deps.stripe.findPayableInvoice(account, invoiceId);
  const recorded = await listAttemptsOfInvoice(deps.database, account, invoiceId);
  // Interrupted after its attempt: a second attempt was not requested.
  const made = recorded.find((attempt) => attempt.actionId === action.id && isMade(attempt));
  if (made) {
    if (made.outcome === 'paid' || made.outcome === 'pending')
      await deps.database.transaction((tx) => planKeeping(deps, tx, action));
    return { state: 'done', reason: reasonOf(made) };
  }
  const open = recorded.find(({ actionId, outcome }) => outcome === null && actionId === action.id);
  if (!found) {
    if (open) await concludeAttempt(deps, action, open, { kind: 'not_executed', code: 'invoice_unknown' });
    return { guard: 'invoice', reason: { code: 'invoice_unknown', invoiceId } };
  }
  const judgment = await judgePayment(deps, action, { found, recorded, open });
  const { invoice, method, card, observed, objection } = judgment;
  const now = deps.clock.now();
  if (open) {
    const isPaused = (await findPause(deps.database, account)) !== undefined;
    // Stripe may have tried since: reading decides, not a call that could charge again.
    const unreported = listUnreported(found, recorded);
    const isWanted = objection === undefined && !isPaused && observed === undefined;
    const result = await continueAttempt(deps, action, { open, invoice, isWanted, unreported });
    return result ?? objection ?? makeAnew(now);
  }
  // An observed payment needs no decision.
  if (objection && observed !== undefined) {
    const { asksPerson: _, ...unasked } = objection;
    return unasked;
  }
  if (objection) {
    await followObjection(deps, action, { invoice, recorded, objection });
    return objection;
  }
  const doubt = waitForDoubt(recorded, now);
  if (doubt) return doubt;
  if (observed !== undefined) return observe(deps, action, { invoice, observed });
  return beginAttempt(deps, await bind(deps, action, { invoice, method }), { invoice, method, card });
};

/** Carries out an objection's consequences. A service with extensions asks for a card itself. */
async function followObjection(deps: RetryDeps, action: StoredAction, stopped: Stopped): Promise<void> {
  const { requestId } = action;
  const { asks } = stopped.objection.follows ?? {};
  if (asks?.cause === 'cancel_request')
    await askInstead(deps, action, { cause: asks.cause, reference: '', kind: asks.email });
  else if (asks && requestId !== null && !(await deps.serviceCan(action.account, 'extended_records')))
    await askInstead(deps, action, { cause: asks.cause, reference: `asks ${requestId}`, kind: asks.email });
  await reportStopped(deps, action, stopped);
}

/** Whether the attempt rules out another one by the same action. */
function isMade({ outcome }: StoredAttempt): boolean {
  return outcome !== null && outcome !== 'not_executed' && outcome !== 'not_payable';
}

/** Delayed, because a guard may object to the settled attempt. */
function makeAnew(now: DateTime): ActionResult {
  const until = now.plus({ seconds: 30 });
  return { guard: 'attempt_in_doubt', reason: { code: 'no_charge_made' }, until };
}

async function observe(
  deps: RetryDeps,
  action: StoredAction,
  { invoice, observed }: { invoice: PayableInvoice; observed: LeftOutBy },
): Promise<ActionResult> {
  await leaveToStripe(deps, action, observed);
  const { amountRemaining: amount, currency } = invoice;
  const audit = { kind: 'observed.pay' as const, detail: { amount, currency, setting: observed } };
  return { state: 'done', reason: { code: 'payment_observed' }, audit };
}

/** Binds the action to its method before the first attempt, if Stripe would choose another. */
async function bind(
  deps: RetryDeps,
  action: StoredAction,
  { invoice, method }: { invoice: PayableInvoice; method: PaymentMethodFacts | undefined },
): Promise<StoredAction> {
  if (action.paymentMethod !== null || method === undefined || method.id === invoice.defaultMethod?.id)
    return action;
  await bindPaymentMethod(deps.database, action.id, method.id);
  return { ...action, paymentMethod: method.id };
}

/**
 * Plans one email an invoice about paying it, for a customer who canceled or whose card rules out the service's request. The
 * email's own guards decide, and the sending window.
 */
async function askInstead(
  deps: Pick<RetryDeps, 'database' | 'clock' | 'enqueue'>,
  { account, invoiceId, customerId, subscriptionId, requestId }: StoredAction,
  about: { cause: ActionCause; reference: string; kind: InstructedEmail },
): Promise<void> {
  const now = deps.clock.now();
  await deps.database.transaction((tx) =>
    planAction(deps, tx, {
      account,
      invoiceId,
      customerId,
      subscriptionId,
      requestId: about.cause === 'instruction' ? (requestId ?? undefined) : undefined,
      ...about,
      createdAt: now,
    }),
  );
}
