import { ownerIdsOf } from '../../clients/customer-reference.ts';
import { idOf } from '../../clients/stripe-client.ts';
import { closeScheduledActions } from '../../store/tables/retry/stop-actions.ts';
import { recordDispute } from '../../store/tables/sync/disputes.ts';
import { listInvoiceIdsOfCustomer } from '../../store/tables/sync/invoices.ts';
import type { EventStep } from './event-step.ts';

/** A customer who disputes a charge is not charged again for that invoice; how it ends says whose the money is. */
export const stopDisputed: EventStep = async (deps, { account, event }) => {
  const dispute = event.data.object;
  if (dispute.object !== 'dispute') return { result: { code: 'ignored_object', expected: 'dispute' } };
  const intent = idOf(dispute.payment_intent);
  const invoiceId = intent && (await deps.stripe.findInvoiceOfPaymentIntent(account, intent));
  if (!invoiceId) return { result: { code: 'no_disputed_invoice' } };
  return {
    result: { code: 'collection_stopped', invoiceId },
    apply: async (tx) => {
      const reason = { code: 'dispute_opened', disputeId: dispute.id } as const;
      const { id, status, amount } = dispute;
      await recordDispute(
        tx,
        { account, id, invoiceId, reason: dispute.reason, status, amount },
        deps.clock.now(),
      );
      if (event.type === 'charge.dispute.created')
        await closeScheduledActions(tx, { account, invoiceIds: [invoiceId] }, reason, deps.clock.now());
    },
  };
};

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
