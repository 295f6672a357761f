import { planAction } from '../../store/tables/retry/plan-action.ts';
import { findLastAction } from '../../store/tables/retry/stop-actions.ts';
import type { EventStep } from './event-step.ts';

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
