import { randomUUID } from 'node:crypto';
import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { idOf } from '../clients/stripe-client.ts';
import type { JobHandler } from '../jobs/jobs.ts';
import type { PluginQueues } from '../jobs/queues.ts';
import { closeScheduledActions, insertAction } from '../store/actions.ts';
import { readPayableInvoice } from './payable-invoice.ts';
import type { RetryDeps } from './retry-deps.ts';

/**
 * A customer has a new card: each open invoice gets one payment with it, oldest first. The action's origin names the
 * card, so that however many events tell of the change, the invoice is tried once (facts 6.2, 6.3).
 */
export function createCardChangeHandler(deps: RetryDeps): JobHandler<PluginQueues['pay-open-invoices']> {
  return {
    handle: async ({ account, customerId, paymentMethod, changedAt }) => {
      const method = await deps.stripe.findPaymentMethod(account, paymentMethod);
      if (!method || idOf(method.customer) !== customerId) return;
      const invoices = await deps.stripe.listOpenInvoices(account, customerId);
      // One that was never attempted is still Stripe's to collect.
      const owed = invoices.filter((invoice) => invoice.attempted && invoice.amount_remaining > 0);
      for (const [position, invoice] of owed.entries()) {
        if (!(await isChosen(deps, account, invoice, method))) continue;
        if (await wasTriedSince(deps, { account, invoice, method, changedAt })) continue;
        await schedulePayment(deps, { account, method, invoice, position });
      }
    },
  };
}

/** Networks renew every card on file, and events come late: only the method chosen for the invoice is charged. */
async function isChosen(
  deps: RetryDeps,
  account: string,
  { id }: Stripe.Invoice,
  method: Stripe.PaymentMethod,
): Promise<boolean> {
  const invoice = await deps.stripe.findPayableInvoice(account, id);
  return invoice !== undefined && readPayableInvoice(invoice).chosenMethods.includes(method.id);
}

/** Events come late: a card that has been tried on the invoice since it was set is no news for that invoice. */
async function wasTriedSince(
  deps: RetryDeps,
  change: { account: string; invoice: Stripe.Invoice; method: Stripe.PaymentMethod; changedAt: string },
): Promise<boolean> {
  const since = DateTime.fromISO(change.changedAt).toSeconds();
  const charges = await deps.stripe.listCharges(change.account, change.invoice.id);
  return charges.some((charge) => charge.payment_method === change.method.id && charge.created > since);
}

async function schedulePayment(
  deps: RetryDeps,
  change: { account: string; method: Stripe.PaymentMethod; invoice: Stripe.Invoice; position: number },
): Promise<void> {
  const { account, method, invoice, position } = change;
  const now = deps.clock.now();
  const id = randomUUID();
  // Payments of one customer run one after the other; a second apart keeps the oldest first.
  const dueAt = now.plus({ seconds: position });
  await deps.database.transaction(async (tx) => {
    const isNew = await insertAction(tx, {
      id,
      account,
      origin: `card-change:${identityOf(method)}`,
      kind: 'pay',
      invoiceId: invoice.id,
      customerId: idOf(invoice.customer),
      subscriptionId: idOf(invoice.parent?.subscription_details?.subscription),
      requestId: undefined,
      paymentMethod: method.id,
      dueAt,
      createdAt: now,
    });
    if (!isNew) return;
    const target = { account, invoiceIds: [invoice.id], kinds: ['card_update_email'] as const };
    await closeScheduledActions(tx, target, 'the customer has a new card', now);
    await deps.enqueue('execute-action', [{ data: { actionId: id, account }, startAfter: dueAt }], tx);
  });
}

/** A card that its network renewed keeps its id, but not its number or its expiry (facts 6.5). */
function identityOf(method: Stripe.PaymentMethod): string {
  const { card } = method;
  return card ? `${method.id}:${card.fingerprint ?? ''}:${card.exp_year}-${card.exp_month}` : method.id;
}
