import { ownerIdsOf } from '../../clients/customer-reference.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import { recordForgotten, toForgetJob } from '../../store/tables/forgotten.ts';
import { closeScheduledActions } from '../../store/tables/retry/planned-actions.ts';
import { listInvoiceIdsOfCustomer } from '../../store/tables/sync/invoices.ts';
import type { EventStep } from './event-step.ts';

export const stopDeletedCustomer: EventStep = async (deps, { account, event }) => {
  const customer = event.data.object;
  if (customer.object !== 'customer') return { result: { code: 'ignored_object', expected: 'customer' } };
  return {
    result: { code: 'collection_stopped' },
    apply: async (tx) => {
      const owner = { customer: customer.id, customer_account: customer.customer_account };
      const invoiceIds = await listInvoiceIdsOfCustomer(tx, account, ownerIdsOf(owner));
      const reason = { code: 'customer_deleted', customerId: customer.id } as const;
      await closeScheduledActions(tx, { account, invoiceIds }, reason, deps.clock.now());
    },
  };
};

/** Forgets customers deleted at Stripe, if configured. */
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
