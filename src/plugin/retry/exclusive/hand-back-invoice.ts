import type Stripe from 'stripe';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import { type Reason, readReason } from '../../reasons/reason.ts';
import { findEnding } from '../../store/tables/retry/endings.ts';
import { findHold, isHeld } from '../../store/tables/retry/holds.ts';
import {
  type InvoiceKey,
  isTakenOver,
  recordHandback,
  recordKept,
} from '../../store/tables/retry/takeovers.ts';
import type { ActionExecutor } from '../actions/action-result.ts';
import { auditInvoice } from '../actions/audit-lines.ts';
import { findObjection, type Guard, guard } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { giveUp } from '../ending/give-up.ts';
import { findFraudReport } from '../guards/card-history.ts';
import { COLLECTION_GUARDS, type CollectionFacts } from '../guards/collection-guards.ts';
import { createFacts, type Facts } from '../guards/facts.ts';
import { findUsedUp } from '../guards/guards.ts';
import { findNewSubscription } from '../guards/shared-guards.ts';
import { findObservation } from '../invoice/observation.ts';
import { type PayableInvoice, readPayableInvoice } from '../invoice/payable-invoice.ts';
import { takeOver } from './take-over-invoice.ts';
import { waitForResume } from './wait-for-resume.ts';

export type HandbackDeps = Pick<RetryDeps, 'config' | 'database' | 'stripe' | 'clock' | 'logger'>;

/** `kept`: Stripe's collection would charge a customer who must not be charged, or too often. */
export type Handback =
  | { kind: 'handed_back' }
  /** `isUsedUp`: no attempt is left. */
  | { kind: 'settled' | 'kept'; reason: Reason; isUsedUp?: boolean };

/** Hands an unrequested invoice back to Stripe's own retries; if those would be too many, gives it up. */
export function createHandBackHandler(deps: RetryDeps): JobHandler<PluginQueues['hand-back-invoice']> {
  return waitForResume(deps, 'hand-back-invoice', async ({ account, invoiceId, reason }) => {
    const key = { account, invoiceId };
    // Jobs from before reason codes have a sentence.
    const result = await handBack(deps, key, readReason(reason));
    if (result.kind !== 'kept' || !result.isUsedUp) return;
    const because = { code: 'attempts_used', limit: result.reason.code } as const;
    const occasion = `forgotten ${deps.clock.now().toISODate()}`;
    await deps.database.transaction((tx) => giveUp(deps, tx, key, { reason: because, occasion }));
  });
}

/** Hands an invoice back to Stripe's retries, which continue in their schedule (stripe-facts 4.4). */
export async function handBack(deps: HandbackDeps, key: InvoiceKey, why: Reason): Promise<Handback> {
  const found = await deps.stripe.findPayableInvoice(key.account, key.invoiceId);
  if (!found) return settle(deps, key, { code: 'invoice_unknown', invoiceId: key.invoiceId });
  const invoice = readPayableInvoice(found);
  if (invoice.status !== 'open') return settle(deps, key, { code: 'invoice_status', status: invoice.status });
  const facts = createFacts(deps, key.account, invoice);
  const obstacle = await findObstacle(deps, key, { facts, isStopped: why.code !== 'dunning_completed' });
  if (obstacle !== undefined) return keep(deps, key, obstacle);
  const limit = await findNoneLeft(deps, { found, invoice, facts });
  if (limit !== undefined) return { ...(await keep(deps, key, limit)), isUsedUp: true };
  await deps.stripe.setAutoAdvance(key.account, key.invoiceId, true);
  await deps.database.transaction(async (tx) => {
    await recordHandback(tx, key, deps.clock.now());
    await auditInvoice({ ...deps, database: tx }, key, {
      kind: 'invoice.handed_back',
      detail: { reason: why },
    });
  });
  return { kind: 'handed_back' };
}

async function settle(deps: HandbackDeps, key: InvoiceKey, reason: Reason): Promise<Handback> {
  await recordHandback(deps.database, key, deps.clock.now());
  return { kind: 'settled', reason };
}

async function keep(deps: HandbackDeps, key: InvoiceKey, reason: Reason) {
  if (await recordKept(deps.database, key, deps.clock.now()))
    await auditInvoice(deps, key, { kind: 'invoice.kept', detail: { reason } });
  return { kind: 'kept', reason } as const;
}

/** Guards of our collection bind Stripe's, too: its retries ignore holds and paused collection (stripe-facts 2.1). */
export const HAND_BACK_GUARDS: readonly Guard<CollectionFacts & { readonly isGivenUp: boolean }>[] = [
  ...COLLECTION_GUARDS,
  guard('subscribed_again', ({ invoice, holds }) => findNewSubscription(invoice, holds)),
  guard('given_up', ({ isGivenUp }) => isGivenUp && { code: 'given_up' }),
];

async function findObstacle(
  { database }: HandbackDeps,
  key: InvoiceKey,
  { facts, isStopped }: { facts: Facts; isStopped: boolean },
): Promise<Reason | undefined> {
  // Sign-ups and cancellation requests that we leave alone are Stripe's to collect.
  const collection = await facts.collection({ recoverSignUps: true, afterCancelRequest: 'collect' });
  const { holds } = collection;
  const objection = findObjection(HAND_BACK_GUARDS, {
    ...collection,
    // A service that is done with an invoice hands it back itself.
    holds: { ...holds, isStoppedByService: isStopped && holds.isStoppedByService },
    isGivenUp: (await findEnding(database, key)) !== undefined,
  });
  return objection?.reason;
}

/** Stripe ignores attempts outside its schedule and would start over (stripe-facts 4.4, 5.10). */
async function findNoneLeft(
  deps: HandbackDeps,
  { found, invoice, facts }: { found: Stripe.Invoice; invoice: PayableInvoice; facts: Facts },
): Promise<Reason | undefined> {
  const { method, card, attempts } = await facts.card(invoice.defaultMethod, {
    unreported: { deps, found },
  });
  const report = findFraudReport(card.warning, await facts.holds());
  if (report !== undefined) return report;
  const now = deps.clock.now();
  const action = { cause: 'stripe' as const, createdAt: now };
  const { attemptLimits: limits } = deps.config;
  return findUsedUp({ now, action, invoice, method, limits, attempts });
}

/**
 * Makes Stripe's own retries of an invoice follow a person's hold: off during it, on after its release if it had switched them off
 * (stripe-facts 3.5). It reads both first, so a repeated run changes nothing.
 */
export const switchStripeRetries: ActionExecutor = async (deps, { account, invoiceId }) => {
  const key = { account, invoiceId };
  const { mode } = deps.config;
  const hold = await findHold(deps.database, key);
  if (!hold || !isHeld(hold)) {
    const reason = { code: 'operator_asked', note: hold?.reason } as const;
    // In `exclusive` mode they stay off for our own.
    const isDue = mode !== 'exclusive' && (await isTakenOver(deps.database, key, 'byStop'));
    const back = isDue ? await handBack(deps, key, reason) : undefined;
    return { state: 'done', reason: back && 'reason' in back ? back.reason : reason };
  }
  const found = await deps.stripe.findPayableInvoice(account, invoiceId);
  if (!found) return { guard: 'invoice', reason: { code: 'invoice_unknown', invoiceId } };
  const invoice = readPayableInvoice(found);
  if (invoice.status !== 'open')
    return { guard: 'status', reason: { code: 'invoice_status', status: invoice.status } };
  const setting = findObservation({ mode, scope: deps.config.scope }, account, invoice);
  if (setting === 'RETRY_MODE') return { guard: 'settings', reason: { code: 'outside_scope', setting } };
  const reason = { code: 'stopped_by_person', note: hold.reason } as const;
  if (found.auto_advance === true) await takeOver(deps, key, reason);
  return { state: 'done', reason };
};
