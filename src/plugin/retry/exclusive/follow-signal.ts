/**
 * Stripe's retry signal (RETRY_SIGNAL, stripe-facts 4.6): an invoice that was taken over is watched by its payment while we collect it, and
 * what Stripe recommends becomes an instruction like those of the service. Each run looks at what is true now and makes Stripe's side
 * fit, so it may come at any time and twice.
 */
import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import type { Transaction } from '../../../core/database/database.ts';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import type { RetryEvaluation, SignalAnswer, SignalRefusal } from '../../clients/retry-signal.ts';
import { idOf } from '../../clients/stripe-client.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { Reason } from '../../reasons/reason.ts';
import { findEnding } from '../../store/tables/retry/endings.ts';
import {
  findWatched,
  isWithoutSignal,
  keepWatched,
  type WatchedPayment,
} from '../../store/tables/retry/signals.ts';
import { type InvoiceKey, isTakenOver } from '../../store/tables/retry/takeovers.ts';
import { auditInvoice } from '../actions/audit-lines.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { findCollectionObjection } from '../guards/collection-guards.ts';
import { createFacts } from '../guards/facts.ts';
import { acceptInstruction } from '../instructions/accept-instruction.ts';
import { findLeftOut, isWithoutSignalByLot } from '../invoice/observation.ts';
import { readPayableInvoice } from '../invoice/payable-invoice.ts';
import { waitForResume } from './wait-for-resume.ts';

export function createSignalFollower(deps: RetryDeps): JobHandler<PluginQueues['follow-signal']> {
  return waitForResume(deps, 'follow-signal', async ({ account, invoiceId }) => {
    const key = { account, invoiceId };
    const watched = await findWatched(deps.database, key);
    const found = await deps.stripe.findPayableInvoice(account, invoiceId);
    const wish = await decide(deps, key, found);
    const isWatched = watched?.status === 'monitoring' && watched.evaluationId !== null;
    if ('reason' in wish) {
      if (isWatched) return end(deps, watched, wish.reason);
      if (watched?.status === 'unavailable') return;
      // So that it is not read again and again.
      const passed = { ...key, paymentIntent: '', ...NOTHING_SAID, status: 'passed', reason: wish.reason };
      return keepWatched(deps.database, watched ?? passed, deps.clock.now());
    }
    if (isWatched) return look(deps, watched, wish);
    await begin(deps, key, { wish, before: watched });
  });
}

interface Wish {
  readonly paymentIntent: string;
  readonly subscriptionId: string | undefined;
}

/** The payment to be watched, or why there is none: what we would not collect by ourselves, nobody has to tell us when to. */
async function decide(
  deps: RetryDeps,
  key: InvoiceKey,
  found: Stripe.Invoice | undefined,
): Promise<Wish | { reason: Reason }> {
  const { account, invoiceId } = key;
  const { retrySignal, mode } = deps.config;
  if (retrySignal === 'off' || mode !== 'exclusive') return { reason: { code: 'signal_off' } };
  if (!found) return { reason: { code: 'invoice_unknown', invoiceId } };
  const invoice = readPayableInvoice(found);
  if (!(await isTakenOver(deps.database, key))) return { reason: { code: 'stripe_collects' } };
  if (invoice.status !== 'open') return { reason: { code: 'invoice_status', status: invoice.status } };
  const objection = findCollectionObjection(
    await createFacts(deps, account, invoice).collection(deps.config),
  );
  if (objection) return { reason: objection.reason };
  if (await findEnding(deps.database, key)) return { reason: { code: 'given_up' } };
  const setting = await findLeftOut(deps, account, invoice);
  if (setting !== undefined) return { reason: { code: 'outside_scope', setting } };
  if (await isWithoutSignalByLot(deps, account, invoice))
    return { reason: { code: 'signal_off', setting: 'COMPARE_WITH_SIGNAL_PERCENT' } };
  const payments = found.payments?.data ?? [];
  const { payment } = payments.find(({ is_default: isDefault }) => isDefault) ?? {};
  const paymentIntent = idOf(payment?.payment_intent);
  // Stripe watches failed payments with cards.
  if (paymentIntent === undefined || invoice.defaultMethod?.type !== 'card')
    return { reason: { code: 'signal_ended', status: 'no_card' } };
  return { paymentIntent, subscriptionId: invoice.subscription?.id };
}

type Watch = Omit<WatchedPayment, 'lookedAt'>;

const NOTHING_SAID = {
  evaluationId: null,
  reason: null,
  signalId: null,
  action: null,
  because: null,
  signalAt: null,
};
/** What Stripe refused, ended or lost stays so for a payment; what we ended, or were not let in for, is asked anew. */
const MAY_BEGIN: ReadonlySet<string> = new Set(['ended', 'unavailable', 'passed']);

async function begin(
  deps: RetryDeps,
  key: InvoiceKey,
  { wish, before }: { wish: Wish; before: WatchedPayment | undefined },
): Promise<void> {
  const { account, invoiceId } = key;
  const { paymentIntent } = wish;
  const now = deps.clock.now();
  if (await isWithoutSignal(deps.database, account, now)) return;
  const isOver = before?.paymentIntent === paymentIntent && !MAY_BEGIN.has(before.status);
  if (before && isOver) return keepWatched(deps.database, before, now);
  // A call whose answer was lost gives the same evaluation again.
  const occasion = before?.lookedAt.toMillis() ?? 'first';
  const answer = await deps.stripe.watchPayment(
    account,
    paymentIntent,
    `${invoiceId} ${paymentIntent} ${occasion}`,
  );
  const watch: Watch = { ...key, paymentIntent, ...NOTHING_SAID, status: 'monitoring' };
  if (answer.kind !== 'ok') return close(deps, watch, describeRefusal(answer));
  await record(deps, { watch, wish, evaluation: answer.evaluation, isNew: true });
}

async function look(deps: RetryDeps, watched: WatchedPayment, wish: Wish): Promise<void> {
  const { account, evaluationId } = watched;
  if (evaluationId === null) return;
  const { paymentIntent } = wish;
  const isSame = watched.paymentIntent === paymentIntent;
  const told = isSame ? undefined : await deps.stripe.replaceWatched(account, evaluationId, paymentIntent);
  const answer = told?.kind === 'ok' ? told : await deps.stripe.findEvaluation(account, evaluationId);
  if (answer.kind !== 'ok') return close(deps, watched, describeRefusal(answer));
  const watch = { ...watched, paymentIntent };
  await record(deps, { watch, wish, evaluation: answer.evaluation, refusal: told && describeRefusal(told) });
}

interface Seen {
  readonly watch: Watch;
  readonly wish: Wish;
  readonly evaluation: RetryEvaluation;
  readonly isNew?: boolean;
  /** Why Stripe goes on with the payment of before. */
  readonly refusal?: Closing | undefined;
}

/** What Stripe says now; what it recommends for the first time is acted on, once. */
async function record(deps: RetryDeps, { watch, wish, evaluation, isNew, refusal }: Seen): Promise<void> {
  const { status, latest_signal: signal } = evaluation;
  const isNews = signal != null && signal.id !== watch.signalId;
  const says = signal && {
    signalId: signal.id,
    signalAt: signal.created,
    action: signal.recommendation.action,
    because: signal.recommendation.reason,
  };
  const over = status === 'monitoring' ? undefined : ({ code: 'signal_ended', status } as const);
  const now = deps.clock.now();
  await deps.database.transaction(async (tx) => {
    const note = (kind: string, reason?: Reason) =>
      auditInvoice({ ...deps, database: tx }, watch, { kind, detail: reason ? { reason } : {} });
    await keepWatched(
      tx,
      { ...watch, ...says, evaluationId: evaluation.id, status, reason: over ?? null },
      now,
    );
    if (isNew) await note('signal.begun');
    if (refusal) await note('signal.refused', refusal.reason);
    if (isNews) {
      const { action, reason: because } = signal.recommendation;
      await note('signal.received', { code: 'signal_says', action, because });
      if (action === 'retry_now' && !over) await ask(deps, tx, { watch, wish, signal });
    }
    if (over) await note('signal.ended', over);
  });
}

/** From here on it goes the way of every instruction: its plan, its guards, its limits, its holds. */
async function ask(
  deps: RetryDeps,
  tx: Transaction,
  {
    watch,
    wish,
    signal,
  }: Pick<Seen, 'watch' | 'wish'> & { signal: NonNullable<RetryEvaluation['latest_signal']> },
): Promise<void> {
  const { account, invoiceId } = watch;
  const receivedAt = deps.clock.now();
  // On our time scale never later than now, so that what the service asks from now on is newer.
  const issuedAt = DateTime.min(signal.created, receivedAt);
  await acceptInstruction(tx, deps.enqueue, {
    account,
    invoiceId,
    subscriptionId: wish.subscriptionId,
    requestId: signal.id,
    source: 'signal',
    type: 'suggestion',
    suggestion: 'ACTION_SUGGESTION_RETRY',
    receivedAt,
    issuedAt,
    idealRetryAt: issuedAt,
    body: JSON.stringify(signal),
  });
}

/** We do not collect it any more. One that Stripe has ended before cannot be ended. */
async function end(deps: RetryDeps, watched: WatchedPayment, reason: Reason): Promise<void> {
  const { account, evaluationId } = watched;
  if (evaluationId === null) return;
  let answer: SignalAnswer = await deps.stripe.cancelEvaluation(account, evaluationId, reason.code);
  const isOurs = answer.kind === 'ok';
  if (answer.kind === 'refused') answer = await deps.stripe.findEvaluation(account, evaluationId);
  const status = isOurs ? 'ended' : answer.kind === 'ok' ? answer.evaluation.status : answer.kind;
  await close(deps, watched, { status, reason });
}

interface Closing {
  readonly status: string;
  readonly reason: Reason;
}

function describeRefusal(refusal: SignalRefusal): Closing;
function describeRefusal(refusal: SignalAnswer): Closing | undefined;
function describeRefusal(refusal: SignalAnswer): Closing | undefined {
  if (refusal.kind === 'ok') return undefined;
  if (refusal.kind === 'gone') return { status: 'gone', reason: { code: 'signal_ended', status: 'gone' } };
  const { kind: status, why } = refusal;
  if (refusal.kind === 'unavailable') return { status, reason: { code: 'signal_unavailable', why } };
  return { status, reason: { code: 'signal_refused', refusal: refusal.code, why } };
}

/** Nobody watches it: the service's own times go on as if there were no signal. */
async function close(deps: RetryDeps, watch: Watch, { status, reason }: Closing): Promise<void> {
  const { account, invoiceId } = watch;
  const wasWatched = watch.evaluationId !== null;
  if (status === 'unavailable')
    deps.logger.warn(
      { account, invoiceId, reason },
      "Stripe's retry signal is not open to this account: the retry service's own times go on",
    );
  await deps.database.transaction(async (tx) => {
    await keepWatched(tx, { ...watch, status, reason }, deps.clock.now());
    const kind = wasWatched ? 'signal.ended' : 'signal.refused';
    await auditInvoice({ ...deps, database: tx }, watch, { kind, detail: { reason } });
  });
}
