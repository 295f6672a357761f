import type { DateTime } from 'luxon';
import { CARD_REPORTED, MISSING_PAYMENT_METHOD } from '../../contract/failed-transaction.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { listAttemptsOfInvoice, type StoredAttempt } from '../../store/tables/retry/attempts.ts';
import { bindPaymentMethod, findLatestNewCard } from '../../store/tables/retry/card-changes.ts';
import type { ActionExecutor, ActionResult } from '../actions/action-result.ts';
import { note } from '../actions/note.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { readFinalSay } from '../guards/final-say.ts';
import { FRAUD_REPORTED } from '../guards/fraud-report.ts';
import { judge, type Verdict } from '../guards/guards.ts';
import { listRelevantAttempts, lookAtCard, withKnownLook } from './card-look.ts';
import { abandonAttempt, beginAttempt, continueAttempt } from './carry-out-attempt.ts';
import { reasonOf } from './conclude-attempt.ts';
import {
  methodFacts,
  type PayableInvoice,
  type PaymentMethodFacts,
  readPayableInvoice,
} from './payable-invoice.ts';
import { listUnheardAttempts } from './unheard-attempts.ts';
import { recordUntried, type Untried } from './untried-payment.ts';

/** Until another action has settled its attempt on the same invoice. */
const DOUBT_RECHECK_MINUTES = 2;

/**
 * Pays an invoice, once: read it again, ask the guards, write the attempt with its idempotency key, call Stripe, record
 * the outcome. An attempt whose outcome is unknown (no answer, or a process died) is settled before another is made,
 * whichever action it belongs to.
 */
export const payInvoice: ActionExecutor = async (deps, action) => {
  const { account, invoiceId } = action;
  const found = await deps.stripe.findPayableInvoice(account, invoiceId);
  const recorded = await listAttemptsOfInvoice(deps.database, account, invoiceId);
  // It was cut off between the end of its attempt and its own: another one is not what was asked for.
  const made = recorded.find((attempt) => attempt.actionId === action.id && isMade(attempt));
  if (made) return { kind: 'done', reason: reasonOf(made) };
  const inDoubt = recorded.filter((attempt) => attempt.outcome === null);
  const open = inDoubt.find((attempt) => attempt.actionId === action.id);
  if (!found) {
    const reason = `Stripe has no invoice ${invoiceId}`;
    if (open) await abandonAttempt(deps, action, open, reason);
    return { kind: 'closed', guard: 'invoice', reason };
  }
  const invoice = readPayableInvoice(found);
  const chosen = await chooseMethod(deps, action, invoice);
  // An attempt in doubt is settled by its own reading.
  const unheard =
    inDoubt.length === 0 ? await listUnheardAttempts(deps, action, { invoice: found, recorded }) : [];
  const method = withKnownLook(chosen, [...recorded, ...unheard]);
  const card = await lookAtCard(deps, account, { fingerprint: method?.fingerprint, id: method?.id });
  const attempts = listRelevantAttempts([...recorded, ...unheard, ...card.attempts], open);
  const say = await readFinalSay(deps.database, account, invoiceId);
  const now = deps.clock.now();
  const { attemptLimits: limits, recoverSignUps } = deps.config;
  const { warning } = card;
  const verdict = judge({ now, action, invoice, say, method, warning, limits, recoverSignUps, attempts });
  if (open) {
    const result = await continueAttempt(deps, action, { open, invoice, isWanted: verdict.kind === 'pass' });
    return result ?? (verdict.kind === 'pass' ? makeAnew(now) : obey(deps, action, verdict));
  }
  const untried = findUntried(invoice, verdict);
  if (untried && deps.config.mode !== 'observe')
    await recordUntried(deps, action, { invoice, recorded, untried });
  if (verdict.kind !== 'pass') return obey(deps, action, verdict);
  if (inDoubt.length > 0) {
    const until = now.plus({ minutes: DOUBT_RECHECK_MINUTES });
    const reason = 'an earlier attempt on the invoice is not settled yet';
    return { kind: 'postponed', until, guard: 'attempt_in_doubt', reason };
  }
  if (deps.config.mode === 'observe') return observe(deps, action, invoice);
  return beginAttempt(deps, await bind(deps, action, { invoice, method }), { invoice, method, card });
};

/** All that stands against it is that there is nothing to charge, or no card that may be. */
function findUntried({ chosenMethods }: PayableInvoice, verdict: Verdict): Untried | undefined {
  if (verdict.kind !== 'stop') return undefined;
  const { guard, reason } = verdict;
  if (guard === FRAUD_REPORTED) return { code: CARD_REPORTED, detail: reason };
  const isBare = guard === 'payment_method' && chosenMethods.length === 0;
  return isBare ? { code: MISSING_PAYMENT_METHOD, detail: 'there is nothing to charge' } : undefined;
}

/** One that Stripe refused as it stood may be made again by the same action. */
function isMade({ outcome }: StoredAttempt): boolean {
  return outcome !== null && outcome !== 'not_executed' && outcome !== 'not_payable';
}

/** Not at once: a guard may object to what the settled attempt revealed. */
function makeAnew(now: DateTime): ActionResult {
  return {
    kind: 'postponed',
    until: now.plus({ seconds: 30 }),
    guard: 'attempt_in_doubt',
    reason: 'Stripe shows no charge for the attempt; it is made anew',
  };
}

async function observe(
  deps: RetryDeps,
  action: StoredAction,
  { amountRemaining: amount, currency }: PayableInvoice,
): Promise<ActionResult> {
  await note(deps, action, 'observed.pay', { amount, currency });
  return { kind: 'done', reason: 'observed only: the invoice would have been paid now' };
}

async function obey(
  deps: RetryDeps,
  action: StoredAction,
  verdict: Exclude<Verdict, { kind: 'pass' }>,
): Promise<ActionResult> {
  const { guard, reason } = verdict;
  if (verdict.kind === 'stop') {
    await note(deps, action, 'guard.stopped', { guard, reason });
    return { kind: 'closed', reason: `${guard}: ${reason}`, isTold: true };
  }
  await note(deps, action, 'guard.postponed', { guard, reason, until: verdict.until.toISO() });
  return { kind: 'postponed', until: verdict.until, reason: `${guard}: ${reason}`, isTold: true };
}

/**
 * The method the action names; else the card that the customer gave since the invoice failed, while it is still a chosen
 * one: a subscription may name its old card for ever (stripe-facts 6.2). Else what Stripe would charge by itself.
 */
async function chooseMethod(
  deps: RetryDeps,
  action: StoredAction,
  invoice: PayableInvoice,
): Promise<PaymentMethodFacts | undefined> {
  const { account, invoiceId } = action;
  const given = action.paymentMethod ?? (await findLatestNewCard(deps.database, account, invoiceId));
  if (given === undefined || given === invoice.defaultMethod?.id) return invoice.defaultMethod;
  if (action.paymentMethod === null && !invoice.chosenMethods.includes(given)) return invoice.defaultMethod;
  const method = await deps.stripe.findPaymentMethod(account, given);
  return method && methodFacts(method);
}

/** Before its first attempt an action takes the card that Stripe would not choose by itself. */
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
