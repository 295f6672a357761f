import { refused } from '../api-error.ts';
import { buildInvoicePayment, buildPaymentIntent } from '../objects/build-payment.ts';
import type { Invoice } from '../objects/wire.ts';
import { publish, publishUpdated, snapshotOf } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { applyAutomaticTax, failFinalization } from './automatic-tax.ts';
import { cancelOpenPayment, payNothing } from './collect-invoice.ts';
import { applyBalance, returnBalance } from './customer-balance.ts';
import { refreshSubscriptionStatus } from './subscription-status.ts';

/** Turns a draft into an open invoice with its payment; one that owes nothing is paid immediately. */
export function finalizeInvoice(world: World, invoice: Invoice): Invoice {
  if (invoice.status !== 'draft')
    throw refused("This invoice is already finalized, you can't re-finalize it.");
  if (!applyAutomaticTax(world, invoice)) return failFinalization(world, invoice);
  const now = unixNow(world);
  invoice.status = 'open';
  world.invoiceNumbers.last += 1;
  invoice.number = `SBX-${String(world.invoiceNumbers.last).padStart(6, '0')}`;
  invoice.effective_at = now;
  invoice.status_transitions.finalized_at = now;
  invoice.hosted_invoice_url = `${world.baseUrl}/i/${invoice.id}`;
  invoice.invoice_pdf = `${world.baseUrl}/i/${invoice.id}/pdf`;
  invoice.automatically_finalizes_at = null;
  applyBalance(world, invoice);
  if (invoice.amount_due > 0) addPayment(world, invoice);
  publish(world, 'invoice.finalized', invoice);
  if (invoice.amount_due === 0) payNothing(world, invoice);
  scheduleOverdue(world, invoice);
  return invoice;
}

export function voidInvoice(world: World, invoice: Invoice): Invoice {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') {
    throw refused(`You can only void open or uncollectible invoices; this one is ${invoice.status}.`);
  }
  const before = snapshotOf(invoice);
  invoice.status = 'void';
  invoice.auto_advance = false;
  invoice.next_payment_attempt = null;
  invoice.status_transitions.voided_at = unixNow(world);
  cancelOpenPayment(world, invoice);
  publish(world, 'invoice.voided', invoice);
  publishUpdated(world, 'invoice.updated', invoice, before);
  returnBalance(world, invoice);
  refreshSubscriptionStatus(world, invoice);
  return invoice;
}

function addPayment(world: World, invoice: Invoice): void {
  const created = unixNow(world);
  const { amount_due: amount } = invoice;
  const intent = world.paymentIntents.add(buildPaymentIntent(world.ids.next('pi'), created, invoice, amount));
  const payment = { payment_intent: intent.id, type: 'payment_intent' } as const;
  const id = world.ids.next('inpay');
  const fields = { id, created, amount_requested: amount, payment, is_default: true };
  world.invoicePayments.add(buildInvoicePayment(fields, invoice));
  publish(world, 'payment_intent.created', intent);
}

/** An invoice that the customer pays manually is late from its due date (stripe-facts 3.14). */
function scheduleOverdue(world: World, invoice: Invoice): void {
  const { due_date: due } = invoice;
  if (due === null) return;
  world.due.add({
    atMs: due * 1000,
    isCurrent: () => invoice.status === 'open' && invoice.due_date === due,
    run: () => {
      publish(world, 'invoice.overdue', invoice);
      refreshSubscriptionStatus(world, invoice);
    },
  });
}
