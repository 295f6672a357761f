/**
 * Stripe's retry signal (RETRY_SIGNAL, stripe-facts 4.6): Stripe watches payments of taken-over invoices, and its recommendations become
 * instructions. Each run reads the current state and adjusts Stripe's side, so it can run any time and twice.
 */

import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import type { AuditKind } from '../../actions/audit-kinds.ts';
import { idOf } from '../../clients/chosen-methods.ts';
import type { RetrySignal, SignalAnswer } from '../../clients/retry-signal.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { Reason } from '../../reasons/reason.ts';
import { findEnding } from '../../store/tables/retry/endings.ts';
import {
  findWatched,
  keepWatched,
  listWithoutSignal,
  type WatchedPayment,
} from '../../store/tables/retry/signals.ts';
import { type InvoiceKey, isTakenOver } from '../../store/tables/retry/takeovers.ts';
import { auditInvoice } from '../actions/audit-lines.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { findCollectionObjection } from '../guards/collection-guards.ts';
import { createFacts } from '../guards/facts.ts';
import { type Source, takeIn } from '../instructions/source.ts';
import { findLeftOut } from '../invoice/observation.ts';
import { readPayableInvoice } from '../invoice/payable-invoice.ts';
import { waitForResume } from './wait-for-resume.ts';

interface Recommended extends Wish, RetrySignal {
  readonly invoiceId: string;
}

const SIGNAL: Source<Recommended, void> = {
  name: 'signal',
  read: ({ signalId, invoiceId, subscriptionId, signalAt, action, because }) => ({
    requestId: signalId,
    type: 'suggestion',
    invoiceId,
    subscriptionId,
    suggestion: 'ACTION_SUGGESTION_RETRY',
    idealRetryAt: signalAt,
    body: JSON.stringify({ id: signalId, created: signalAt, recommendation: { action, reason: because } }),
  }),
  // Never later than now on our clock, so that later requests of the service are newer.
  issuedAt: async (_tx, { message, receivedAt }) => DateTime.min(message.signalAt, receivedAt),
  // Nobody reads an answer.
  answer: async () => undefined,
};

const NOTHING_SAID = { evaluationId: null, signalId: null, action: null, because: null, signalAt: null };

export function createSignalFollower(deps: RetryDeps): JobHandler<PluginQueues['follow-signal']> {
  return waitForResume(deps, 'follow-signal', async ({ account, invoiceId }) => {
    const { database, clock } = deps;
    const key = { account, invoiceId };
    const before = await findWatched(database, key);
    const watch = before ?? { ...key, ...NOTHING_SAID, paymentIntent: '', status: 'passed', reason: null };
    const evaluationId = evaluationOf(watch);
    // One refusal counts for all invoices of the account.
    const refusals = await listWithoutSignal(database, clock.now().minus({ days: 1 }));
    const refusal = evaluationId === null && refusals.find((one) => one.account === account);
    if (refusal)
      return keepWatched(database, { ...watch, ...refusal, status: 'unavailable' }, refusal.lookedAt);
    const wish = await decide(deps, key, await deps.stripe.findPayableInvoice(account, invoiceId));
    if (!('reason' in wish)) return tell(deps, watch, wish);
    const end = { status: 'passed', reason: wish.reason };
    // Recorded, so that it is not read again and again.
    if (evaluationId === null) return keepWatched(database, { ...watch, ...end }, clock.now());
    await deps.stripe.cancelEvaluation(account, evaluationId, end.reason.code);
    return close(deps, watch, end);
  });
}

interface Wish {
  readonly paymentIntent: string;
  readonly subscriptionId: string | undefined;
}

/** The payment to be watched, or why there is none: invoices that we would not collect need no signal. */
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
  const payments = found.payments?.data ?? [];
  const { payment } = payments.find(({ is_default: isDefault }) => isDefault) ?? {};
  const paymentIntent = idOf(payment?.payment_intent);
  // Stripe watches failed card payments.
  if (paymentIntent === undefined || invoice.defaultMethod?.type !== 'card')
    return { reason: { code: 'signal_ended', status: 'no_card' } };
  return { paymentIntent, subscriptionId: invoice.subscription?.id };
}

type Watch = Omit<WatchedPayment, 'lookedAt'>;

/** A refusal, an end or a loss at Stripe is final for a payment; ends by us and missing access are tried again. */
const MAY_BEGIN: ReadonlySet<string> = new Set(['unavailable', 'passed']);

/** Id of the running evaluation; null without one. */
const evaluationOf = ({ status, evaluationId }: Watch) => (status === 'monitoring' ? evaluationId : null);

/** Asks Stripe to watch the payment, or for its current recommendation. */
async function tell(deps: RetryDeps, watch: Watch & { lookedAt?: DateTime }, wish: Wish): Promise<void> {
  const { account, invoiceId } = watch;
  const evaluationId = evaluationOf(watch);
  const { paymentIntent } = wish;
  const isSame = watch.paymentIntent === paymentIntent;
  if (evaluationId !== null) {
    const answer = isSame
      ? await deps.stripe.findEvaluation(account, evaluationId)
      : await deps.stripe.replaceWatched(account, evaluationId, paymentIntent);
    return record(deps, watch, wish, answer);
  }
  if (isSame && !MAY_BEGIN.has(watch.status)) return keepWatched(deps.database, watch, deps.clock.now());
  // A repeated call returns the same evaluation.
  const key = `${invoiceId} ${paymentIntent} ${watch.lookedAt?.toMillis() ?? 'first'}`;
  const answer = await deps.stripe.watchPayment(account, paymentIntent, key);
  return record(deps, { ...watch, ...NOTHING_SAID }, wish, answer);
}

/** Stores Stripe's answer and acts once on a new recommendation. */
async function record(deps: RetryDeps, before: Watch, wish: Wish, answer: SignalAnswer): Promise<void> {
  const watch = { ...before, paymentIntent: wish.paymentIntent };
  if (answer.kind !== 'ok') return close(deps, watch, { status: answer.kind, reason: answer.reason });
  const { id: evaluationId, status, latest_signal: signal } = answer.evaluation;
  const reason = status === 'monitoring' ? null : ({ code: 'signal_ended', status } as const);
  await deps.database.transaction(async (tx) => {
    const note = (kind: AuditKind, detail = {}) =>
      auditInvoice({ ...deps, database: tx }, watch, { kind, detail });
    await keepWatched(tx, { ...watch, ...signal, evaluationId, status, reason }, deps.clock.now());
    if (watch.evaluationId === null) await note('signal.begun');
    if (signal && signal.signalId !== watch.signalId) {
      const { action, because } = signal;
      await note('signal.received', { reason: { code: 'signal_says', action, because } });
      const message = { ...wish, ...signal, invoiceId: watch.invoiceId };
      // From here on it is an instruction like any other, with plan, guards, limits and holds.
      if (action === 'retry_now' && !reason)
        await takeIn(deps, tx, SIGNAL, { account: watch.account, message });
    }
    if (reason) await note('signal.ended', { reason });
  });
}

/** Ends the watch: the service's own times apply as without a signal. */
async function close(deps: RetryDeps, watch: Watch, end: { status: string; reason: Reason }): Promise<void> {
  const { account, invoiceId, evaluationId } = watch;
  const { reason } = end;
  if (end.status === 'unavailable')
    deps.logger.warn({ account, invoiceId, reason }, "Stripe's retry signal is not open to this account");
  await deps.database.transaction(async (tx) => {
    await keepWatched(tx, { ...watch, ...end }, deps.clock.now());
    const kind = evaluationId === null ? 'signal.refused' : 'signal.ended';
    await auditInvoice({ ...deps, database: tx }, watch, { kind, detail: { reason } });
  });
}
