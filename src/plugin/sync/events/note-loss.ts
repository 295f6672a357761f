import { idOf } from '../../clients/chosen-methods.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { planAction, planEndNotice } from '../../store/tables/retry/plan-action.ts';
import { findLastAction } from '../../store/tables/retry/planned-actions.ts';
import type { EventStep } from './event-step.ts';

/** Older events come from a catch-up: the customer knows by now. */
const NEWS_DAYS = 7;

/** Notes that Stripe ended or paused a subscription for an unpaid invoice; other ends were somebody's decision. */
export const noteLoss: EventStep = async (deps, { account, event, createdAt }) => {
  const { object } = event.data;
  if (object.object !== 'subscription')
    return { result: { code: 'ignored_object', expected: 'subscription' } };
  const invoiceId = idOf(object.latest_invoice);
  const now = deps.clock.now();
  const isLost =
    object.cancellation_details?.reason === 'payment_failed' ||
    object.status_details?.paused.subscription.type === 'final_payment_failure';
  if (!isLost || invoiceId === undefined || createdAt < now.minus({ days: NEWS_DAYS }))
    return { result: { code: 'subscription_not_lost' } };
  const { id: subscriptionId } = object;
  const lost = { account, invoiceId, subscriptionId, customerId: customerIdOf(object) };
  return {
    result: { code: 'subscription_lost', invoiceId },
    apply: (tx) => planEndNotice(deps, tx, lost, now),
  };
};

/** Plans, once, that a subscription lost to an invoice goes on when the invoice is paid (AFTER_END). */
export const noteReturn: EventStep = async (deps, { account, event }) => {
  const { object } = event.data;
  const invoiceId = object.object === 'invoice' ? object.id : undefined;
  if (invoiceId === undefined || deps.config.afterEnd !== 'resume')
    return { result: { code: 'subscription_not_lost' } };
  const lost = await findLastAction(deps.database, { account, invoiceId }, ['subscription_ended_email']);
  if (!lost) return { result: { code: 'subscription_not_lost' } };
  const back = {
    cause: 'way_back',
    kind: 'resume_subscription',
    reference: lost.subscriptionId ?? '',
  } as const;
  return {
    result: { code: 'subscription_lost', invoiceId },
    apply: async (tx) => {
      await planAction(deps, tx, { ...lost, ...back, createdAt: deps.clock.now() });
    },
  };
};
