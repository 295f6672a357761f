import { z } from 'zod';
import { invalidParameter, refused, retrieve } from '../api-error.ts';
import { formInteger, integer, text } from '../form-parameters.ts';
import { nulls } from '../objects/nulls.ts';
import { type CreditNote, type Invoice, listOf, type Refund } from '../objects/wire.ts';
import { publish, publishUpdated, snapshotOf } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { askForRest, cancelOpenPayment, markPaid } from './collect-invoice.ts';
import { setBalance } from './customer-balance.ts';
import { refundCharge } from './refund-charge.ts';
import { refreshSubscriptionStatus } from './subscription-status.ts';

export const noteParameters = z.strictObject({
  amount: formInteger,
  /** How the paid part is given back; together the part of the amount that is no longer owed. */
  refund_amount: integer,
  credit_amount: integer,
  out_of_band_amount: integer,
  reason: text,
  memo: text,
});

/** Stripe's own parameter names. */
export type CreditNoteInput = z.output<typeof noteParameters>;

/** Lowers the invoice's amount and gives back the part beyond the remaining debt (stripe-facts 3.16). */
export function createCreditNote(world: World, invoice: Invoice, input: CreditNoteInput): CreditNote {
  const { refund_amount: refunded = 0, credit_amount: credited = 0, out_of_band_amount: other = 0 } = input;
  if (invoice.status !== 'open' && invoice.status !== 'paid')
    throw refused('Credit notes are for open and paid invoices.', { param: 'invoice' });
  const before = snapshotOf(invoice);
  const owed = Math.min(input.amount, invoice.amount_remaining);
  const paid = input.amount - owed;
  if (refunded + credited + other !== paid)
    throw invalidParameter(`The sum of credit, refund and out of band amounts must be ${paid}.`, {
      param: 'amount',
    });
  const refunds = refunded === 0 ? [] : refundPayments(world, invoice, refunded);
  const note = world.creditNotes.add(buildNote(world, invoice, input, { owed, paid, refunds }));
  invoice.pre_payment_credit_notes_amount += owed;
  invoice.post_payment_credit_notes_amount += paid;
  invoice.amount_due -= owed;
  invoice.amount_remaining -= owed;
  publish(world, 'credit_note.created', note);
  const customer = world.customers.get(invoice.customer ?? '');
  if (customer !== undefined) setBalance(world, customer, customer.balance - credited, invoice.currency);
  settle(world, invoice);
  publishUpdated(world, 'invoice.updated', invoice, before);
  refreshSubscriptionStatus(world, invoice);
  return note;
}

/** The invoice, still open, owes what it had taken off. */
export function voidCreditNote(world: World, note: CreditNote): CreditNote {
  const invoice = retrieve(world.invoices, 'invoice', note.invoice);
  if (note.status !== 'issued' || invoice.status !== 'open')
    throw refused('Only an issued credit note of an open invoice can be voided.');
  const before = snapshotOf(invoice);
  note.status = 'void';
  note.voided_at = unixNow(world);
  invoice.pre_payment_credit_notes_amount -= note.pre_payment_amount;
  invoice.amount_due += note.pre_payment_amount;
  invoice.amount_remaining += note.pre_payment_amount;
  askForRest(world, invoice);
  publish(world, 'credit_note.voided', note);
  publishUpdated(world, 'invoice.updated', invoice, before);
  return note;
}

/** An invoice of which nothing is owed any more is paid. */
function settle(world: World, invoice: Invoice): void {
  if (invoice.status !== 'open') return;
  if (invoice.amount_remaining > 0) {
    askForRest(world, invoice);
    return;
  }
  markPaid(world, invoice);
  cancelOpenPayment(world, invoice);
  publish(world, 'invoice.paid', invoice);
}

/** Refunds payments through Stripe, the newest first. */
function refundPayments(world: World, invoice: Invoice, amount: number): Refund[] {
  const refunds: Refund[] = [];
  let left = amount;
  for (const { payment } of world.invoicePayments.newestFirst({ index: 'invoice', key: invoice.id })) {
    const intent = world.paymentIntents.get(payment.payment_intent ?? '');
    const charge = world.charges.get(intent?.latest_charge ?? '');
    if (charge?.status !== 'succeeded' || left === 0) continue;
    const part = Math.min(left, charge.amount - charge.amount_refunded);
    if (part > 0) refunds.push(refundCharge(world, charge, { amount: part }));
    left -= part;
  }
  if (left > 0) throw refused('There is not enough paid through Stripe to refund.');
  return refunds;
}

function buildNote(
  world: World,
  invoice: Invoice,
  { amount, reason, memo, out_of_band_amount: other }: CreditNoteInput,
  { owed, paid, refunds }: { owed: number; paid: number; refunds: readonly Refund[] },
): CreditNote {
  const id = world.ids.next('cn');
  return {
    ...nulls('customer_account customer_balance_transaction shipping_cost total_taxes voided_at'),
    id,
    object: 'credit_note',
    amount,
    amount_shipping: 0,
    created: unixNow(world),
    currency: invoice.currency,
    customer: invoice.customer ?? '',
    discount_amount: 0,
    discount_amounts: [],
    effective_at: unixNow(world),
    invoice: invoice.id,
    lines: listOf(`/v1/credit_notes/${id}/lines`, []),
    livemode: false,
    memo: memo ?? null,
    metadata: {},
    number: `${invoice.number}-CN`,
    out_of_band_amount: other ?? null,
    pdf: `${world.baseUrl}/cn/${id}/pdf`,
    post_payment_amount: paid,
    pre_payment_amount: owed,
    pretax_credit_amounts: [],
    reason: reason ?? null,
    refunds: refunds.map((refund) => ({
      amount_refunded: refund.amount,
      payment_record_refund: null,
      refund: refund.id,
      type: 'refund',
    })),
    status: 'issued',
    subtotal: amount,
    subtotal_excluding_tax: amount,
    total: amount,
    total_excluding_tax: amount,
    type: owed === 0 ? 'post_payment' : paid === 0 ? 'pre_payment' : 'mixed',
  };
}
