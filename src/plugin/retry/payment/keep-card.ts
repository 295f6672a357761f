/** Moves a subscription from its old card to the one that paid; it would charge the old one next (stripe-facts 6.2). */

import type Stripe from 'stripe';
import type { Transaction } from '../../../core/database/database.ts';
import { idOf, subscriptionOf } from '../../clients/chosen-methods.ts';
import { isOldSource } from '../../clients/method-identity.ts';
import type { NewAction, StoredAction } from '../../store/tables/retry/actions.ts';
import { findLatestNewCard } from '../../store/tables/retry/card-changes.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import type { ActionExecutor } from '../actions/action-result.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { readPayableInvoice } from '../invoice/payable-invoice.ts';

/** A bank debit takes days to succeed. */
const PENDING_RECHECK_HOURS = 24;

/** Plans the change for an action that paid, or may have, with another method than Stripe's choice. */
export async function planKeeping(
  deps: Pick<RetryDeps, 'clock' | 'enqueue'>,
  tx: Transaction,
  action: StoredAction,
): Promise<void> {
  const { cause, subscriptionId, paymentMethod } = action;
  if (cause === 'backup' || paymentMethod === null || subscriptionId === null) return;
  await planFollowing(deps, tx, action, { cause: 'kept_card', kind: 'keep_card' });
}

/** Plans another action after a payment, once. */
export async function planFollowing(
  { clock, enqueue }: Pick<RetryDeps, 'clock' | 'enqueue'>,
  tx: Transaction,
  { id: reference, account, invoiceId, customerId, subscriptionId, paymentMethod }: StoredAction,
  following: Pick<NewAction, 'cause' | 'kind'>,
): Promise<void> {
  const about = { account, reference, invoiceId, customerId, subscriptionId, paymentMethod };
  await planAction({ enqueue }, tx, { ...about, ...following, createdAt: clock.now() });
}

/**
 * Acts once Stripe shows the invoice as paid, if the card is still a chosen one and the subscription has no newer one. A subscription
 * without a method follows the customer, who has the card already.
 */
export const keepCard: ActionExecutor = async (deps, action) => {
  const { account, invoiceId, paymentMethod, id: key } = action;
  const found = await deps.stripe.findPayableInvoice(account, invoiceId);
  if (!found) return { guard: 'invoice', reason: { code: 'invoice_unknown', invoiceId } };
  const subscription = subscriptionOf(found);
  if (!subscription || paymentMethod === null)
    return { guard: 'subscription', reason: { code: 'no_subscription' } };
  const { id, status, ended_at: endedAt } = subscription;
  const invoice = readPayableInvoice(found);
  if (invoice.isProcessing) {
    const until = deps.clock.now().plus({ hours: PENDING_RECHECK_HOURS });
    return { guard: 'processing', reason: { code: 'processing' }, until };
  }
  if (invoice.status !== 'paid')
    return { guard: 'status', reason: { code: 'invoice_status', status: invoice.status } };
  if (endedAt !== null)
    return { guard: 'subscription', reason: { code: 'subscription_status', subscriptionId: id, status } };
  const from = idOf(subscription.default_payment_method) ?? idOf(subscription.default_source);
  if (from === undefined || from === paymentMethod)
    return { state: 'done', reason: { code: 'card_kept_already', subscriptionId: id } };
  const isReplaced = from === (await findLatestNewCard(deps.database, account, invoiceId));
  if (isReplaced || !invoice.chosenMethods.includes(paymentMethod))
    return { guard: 'payment_method', reason: { code: 'method_not_chosen', paymentMethod } };
  await keepInSchedule(deps, action, { scheduleId: idOf(subscription.schedule), from, to: paymentMethod });
  await deps.stripe.setSubscriptionMethod(account, { id, paymentMethod, idempotencyKey: `keep-card:${key}` });
  const reason = { code: 'subscription_card_replaced', subscriptionId: id, from, to: paymentMethod } as const;
  return { state: 'done', reason, audit: { kind: 'card.kept', detail: { reason } } };
};

/** Changes the schedule first: its next phase would restore the old method, and a changed subscription counts as done. */
async function keepInSchedule(
  { stripe }: RetryDeps,
  { account, id: key }: StoredAction,
  { scheduleId, from, to }: { scheduleId: string | undefined; from: string; to: string },
): Promise<void> {
  // Phases accept payment methods only.
  if (isOldSource(to)) return;
  const schedule = scheduleId === undefined ? undefined : await stripe.findSchedule(account, scheduleId);
  const update = schedule && replaceMethod(schedule, { from, to });
  if (schedule && update)
    await stripe.updateSchedule(account, schedule.id, update, `keep-in-schedule:${key}`);
}

type Update = Pick<Stripe.SubscriptionScheduleUpdateParams, 'phases' | 'default_settings'>;
type Phase = Stripe.SubscriptionScheduleUpdateParams.Phase;

/** Fields of a phase that Stripe returns but does not accept. */
const ONLY_IN_ANSWERS: ReadonlySet<string> = new Set(['plan', 'disabled_reason']);

/**
 * Update that replaces a method: it contains the current and all later phases in full (stripe-facts 2.10). Undefined if the schedule
 * does not use the method from now on.
 */
export function replaceMethod(
  { phases, current_phase: current, default_settings: settings }: Stripe.SubscriptionSchedule,
  { from, to }: { from: string; to: string },
): Update | undefined {
  const ahead = phases.filter(({ start_date: start }) => start >= (current?.start_date ?? 0));
  const named = ahead.filter((phase) => idOf(phase.default_payment_method) === from);
  const isDefault = idOf(settings.default_payment_method) === from;
  if (named.length === 0 && !isDefault) return undefined;
  return {
    ...(isDefault ? { default_settings: { default_payment_method: to } } : {}),
    phases: ahead.map((phase) => ({
      // Answer and request have the same shape, except for the changes by `restate`.
      ...(restate(phase) as Phase),
      ...(named.includes(phase) ? { default_payment_method: to } : {}),
    })),
  };
}

/** Replaces expanded objects by their ids and drops nulls. */
function restate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(restate);
  if (typeof value !== 'object' || value === null) return value;
  if ('object' in value && 'id' in value) return value.id;
  const given = Object.entries(value).filter(([name, own]) => own !== null && !ONLY_IN_ANSWERS.has(name));
  return Object.fromEntries(given.map(([name, own]) => [name, name === 'metadata' ? own : restate(own)]));
}
