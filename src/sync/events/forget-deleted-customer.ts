import { recordAudit } from '../../store/tables/audit.ts';
import { recordForgotten, toForgetJob } from '../../store/tables/forgotten.ts';
import type { EventStep } from './event-step.ts';

/** Whoever is deleted at Stripe is forgotten here, where the settings say so. */
export const forgetDeletedCustomer: EventStep = async (deps, { account, event }) => {
  const customer = event.data.object;
  if (customer.object !== 'customer') return { result: { code: 'ignored_object', expected: 'customer' } };
  if (!deps.config.forgetDeletedCustomers) return { result: { code: 'customer_kept' } };
  return {
    result: { code: 'customer_forgotten' },
    apply: async (tx) => {
      const key = { account, customerId: customer.id };
      const at = deps.clock.now();
      if (!(await recordForgotten(tx, key, at))) return;
      const detail = { customerId: customer.id, via: 'customer.deleted' };
      await recordAudit(tx, { account, at, invoiceId: undefined, kind: 'customer.forgotten', detail });
      await deps.enqueue('forget-customer', [toForgetJob(key)], tx);
    },
  };
};
