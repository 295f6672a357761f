/** Tries other methods before an email asks for a card: Stripe's untried current choice, and saved cards if allowed (BACKUP_METHODS). */
import { DateTime } from 'luxon';
import { classifyDecline } from '../../../core/declines/decline-classes.ts';
import { isSameMethod } from '../../../core/limits/next-method.ts';
import { closeAction, type StoredAction } from '../../store/tables/retry/actions.ts';
import { listMethodsThatPaid, type StoredAttempt } from '../../store/tables/retry/attempts.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import { findPlanned } from '../../store/tables/retry/planned-actions.ts';
import { hasDisputed } from '../../store/tables/sync/disputes.ts';
import type { Obstacle } from '../actions/action-result.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { findCancelRequest } from '../guards/cancel-request.ts';
import { listBindingDeclines } from '../guards/card-history.ts';
import { type CollectionFacts, findCollectionObjection } from '../guards/collection-guards.ts';
import { createFacts, type Facts } from '../guards/facts.ts';
import { findUsedUp } from '../guards/guards.ts';
import { listCardTries, listRelevantAttempts } from '../invoice/card-tries.ts';
import { findLeftOut } from '../invoice/observation.ts';
import { methodFacts, type PayableInvoice, type PaymentMethodFacts } from '../invoice/payable-invoice.ts';
import { newCardPayment } from './new-card-payment.ts';

/** A payment with a longer wait does not delay the email. */
const PATIENCE_HOURS = 12;
const RECHECK_MINUTES = 1;

/** Why the email waits: a payment with another saved card comes first. Undefined if none is left. */
export async function tryBackup(
  deps: RetryDeps,
  action: StoredAction,
  invoice: PayableInvoice,
): Promise<Obstacle | undefined> {
  const { account, invoiceId } = action;
  if (invoice.isProcessing || (await findLeftOut(deps, account, invoice)) !== undefined) return undefined;
  const facts = createFacts(deps, account, invoice);
  const first = await tryUntried(deps, action, { invoice, facts });
  if (first || !deps.config.backupMethods) return first;
  const planned = await findPlanned(deps.database, { account, invoiceId, cause: 'backup' });
  const patience = deps.clock.now().plus({ hours: PATIENCE_HOURS });
  if (planned && planned.dueAt <= patience) return comesFirst(deps);
  if (planned)
    await closeAction(
      deps.database,
      planned.id,
      { state: 'closed', reason: { code: 'backup_has_to_wait' } },
      deps.clock.now(),
    );
  const failed = await facts.next();
  if (!failed || !(await isFinished(deps, account, { invoice, failed, facts }))) return undefined;
  return (await scheduleNext(deps, action, { invoice, failed, facts })) ? comesFirst(deps) : undefined;
}

/** Charges the untried next method; no email goes out meanwhile. */
async function tryUntried(
  deps: RetryDeps,
  { account, invoiceId, subscriptionId }: StoredAction,
  { invoice, facts }: { invoice: PayableInvoice; facts: Facts },
): Promise<Obstacle | undefined> {
  const { database, clock } = deps;
  if (!mayCharge(await facts.collection(deps.config))) return undefined;
  const attempts = listRelevantAttempts(await facts.recorded());
  const method = await facts.next();
  if (!method || attempts.length === 0 || attempts.some((one) => isOf(method, one))) return undefined;
  const now = clock.now();
  const { customerId } = invoice;
  const subscription = subscriptionId ?? undefined;
  const target = { account, invoiceId, customerId, subscriptionId: subscription, dueAt: now, createdAt: now };
  const payment = newCardPayment(target, method);
  const dueAt = await database.transaction(async (tx) => {
    return (await planAction(deps, tx, payment)) ? now : (await findPlanned(tx, payment))?.dueAt;
  });
  return dueAt && { ...comesFirst(deps), until: DateTime.max(dueAt, now).plus({ minutes: RECHECK_MINUTES }) };
}

/** Whether we may charge without a request, with any method. */
function mayCharge(facts: CollectionFacts): boolean {
  if (findCollectionObjection(facts)) return false;
  return facts.afterCancelRequest === 'collect' || !findCancelRequest(facts);
}

function isOf({ id, fingerprint }: PaymentMethodFacts, attempt: StoredAttempt): boolean {
  return attempt.paymentMethod === id || isSameMethod({ fingerprint, paymentMethod: id }, attempt);
}

function comesFirst({ clock }: RetryDeps): Obstacle {
  const until = clock.now().plus({ minutes: RECHECK_MINUTES });
  return { guard: 'backup_method', reason: { code: 'backup_comes_first' }, until };
}

interface Failed {
  readonly invoice: PayableInvoice;
  readonly failed: PaymentMethodFacts;
  readonly facts: Facts;
}

/** Whether the card is dead or used up, for no reason of the merchant's, and nothing is disputed. */
async function isFinished(
  deps: RetryDeps,
  account: string,
  { invoice, failed, facts }: Failed,
): Promise<boolean> {
  const { database, config } = deps;
  const collection = await facts.collection(config);
  if (!mayCharge(collection)) return false;
  if (await hasDisputed(database, account, invoice.customerId)) return false;
  const { method, card, attempts } = await facts.card(failed);
  if (card.warning) return false;
  const { now, holds } = collection;
  const question = {
    now,
    action: { cause: 'stripe' as const, createdAt: now },
    invoice,
    method,
    attempts,
  };
  const bound = new Set(listBindingDeclines({ ...question, holds }).map(({ class: decline }) => decline));
  if (bound.has('never') || bound.has('needs_customer')) return false;
  return (
    bound.has('needs_new_card') || findUsedUp({ ...question, limits: config.attemptLimits }) !== undefined
  );
}

/** Tries each card once an invoice, newest first. The guards of its payment decide. */
async function scheduleNext(
  deps: RetryDeps,
  { account, invoiceId, subscriptionId }: StoredAction,
  { invoice, failed, facts }: Failed,
): Promise<boolean> {
  const { database, clock } = deps;
  const now = clock.now();
  const cards = await deps.stripe.listSavedCards(account, invoice.customerId);
  const havePaid = await listMethodsThatPaid(database, account, invoice.customerId);
  const tried = await facts.recorded();
  for (const { method, isForOffSession } of cards) {
    const saved = methodFacts(method);
    const { id: paymentMethod, fingerprint, expiry = '' } = saved;
    if (
      isSameMethod({ fingerprint, paymentMethod }, { ...failed, paymentMethod: failed.id }) ||
      tried.some((one) => isOf(saved, one))
    )
      continue;
    if (!(isForOffSession || havePaid.has(paymentMethod)) || hasExpired(expiry, now)) continue;
    const card = await listCardTries(deps, account, saved);
    if (card.warning || card.attempts.some(hasAskedForCustomer)) continue;
    const why = { cause: 'backup', reference: fingerprint ?? paymentMethod } as const;
    const target = { account, invoiceId, subscriptionId, customerId: invoice.customerId, paymentMethod };
    const planned = { ...target, ...why, kind: 'pay' as const, createdAt: now };
    const isNew = await database.transaction((tx) => planAction(deps, tx, planned));
    if (isNew) return true;
  }
  return false;
}

function hasAskedForCustomer(attempt: StoredAttempt): boolean {
  const isRefusal = attempt.outcome === 'declined' || attempt.outcome === 'requires_action';
  return isRefusal && classifyDecline(attempt).class === 'needs_customer';
}

/** `2030-04` is valid to the end of April. */
function hasExpired(expiry: string, now: DateTime): boolean {
  const end = DateTime.fromISO(expiry, { zone: 'utc' }).endOf('month');
  return end.isValid && end < now;
}
