import { idOf } from '../../clients/chosen-methods.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { planEndNotice } from '../../store/tables/retry/plan-action.ts';
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
