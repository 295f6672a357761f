/** A new card has paid: a subscription that names its old card would be charged on that one next time (stripe-facts 6.2). */
import { expanded } from '../../clients/chosen-methods.ts';
import { idOf } from '../../clients/stripe-client.ts';
import type { Transaction } from '../../store/engine/database.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import type { ActionExecutor } from '../actions/action-result.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { readPayableInvoice } from '../invoice/payable-invoice.ts';
import { replaceMethod } from './schedule-phases.ts';

/** Days until a bank debit is known to have succeeded. */
const PENDING_RECHECK_HOURS = 24;

/** Plans it once for an action that has paid, or may have, with another method than Stripe's own choice. */
export async function planKeeping(
  deps: Pick<RetryDeps, 'config' | 'clock' | 'enqueue'>,
  tx: Transaction,
  { id: payment, account, cause, invoiceId, customerId, subscriptionId, paymentMethod }: StoredAction,
): Promise<void> {
  if (cause === 'backup') return;
  if (!deps.config.updateSubscriptionCard || paymentMethod === null || subscriptionId === null) return;
  const now = deps.clock.now();
  await planAction(deps, tx, {
    account,
    cause: 'kept_card',
    reference: payment,
    kind: 'keep_card',
    invoiceId,
    customerId,
    subscriptionId,
    paymentMethod,
    dueAt: now,
    createdAt: now,
  });
}

/**
 * Only once Stripe shows the invoice as paid, and only while the card is still one that the customer chose. A subscription
 * that names nothing follows the customer, whose card it is already.
 */
export const keepCard: ActionExecutor = async (deps, action) => {
  const { account, invoiceId, paymentMethod, id: key } = action;
  const found = await deps.stripe.findPayableInvoice(account, invoiceId);
  if (!found) return { guard: 'invoice', reason: { code: 'invoice_unknown', invoiceId } };
  const subscription = expanded(found.parent?.subscription_details?.subscription);
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
  if (!invoice.chosenMethods.includes(paymentMethod))
    return { guard: 'payment_method', reason: { code: 'method_not_chosen', paymentMethod } };
  await keepInSchedule(deps, action, { scheduleId: idOf(subscription.schedule), from, to: paymentMethod });
  await deps.stripe.setSubscriptionMethod(account, { id, paymentMethod, idempotencyKey: `keep-card:${key}` });
  const reason = { code: 'subscription_card_replaced', subscriptionId: id, from, to: paymentMethod } as const;
  return { state: 'done', reason, audit: { kind: 'card.kept', detail: { reason } } };
};

/** Else the next phase would bring the old method back. First, since a subscription that names the new one is done with. */
async function keepInSchedule(
  { stripe }: RetryDeps,
  { account, id: key }: StoredAction,
  { scheduleId, from, to }: { scheduleId: string | undefined; from: string; to: string },
): Promise<void> {
  const schedule = scheduleId === undefined ? undefined : await stripe.findSchedule(account, scheduleId);
  const update = schedule && replaceMethod(schedule, { from, to });
  if (schedule && update)
    await stripe.updateSchedule(account, schedule.id, update, `keep-in-schedule:${key}`);
}
