/** The part of Stripe's objects that an assessment keeps: no names, no addresses, no card numbers. Pure. */
import type Stripe from 'stripe';
import { z } from 'zod';
import { readCharge } from '../../../plugin/clients/charge-facts.ts';
import { idOf } from '../../../plugin/clients/chosen-methods.ts';
import { customerIdOf } from '../../../plugin/clients/customer-reference.ts';

const optional = z.string().optional();

export const invoiceRecord = z.object({
  id: z.string(),
  customer: z.string(),
  subscription: optional,
  billingReason: z.string(),
  collectionMethod: z.string(),
  status: z.string(),
  currency: z.string(),
  /** Minor units. */
  amountDue: z.int(),
  amountRemaining: z.int(),
  country: optional,
  /** Unix seconds. */
  created: z.int(),
  paidAt: z.int().optional(),
  /** Stripe's own attempts. */
  attemptCount: z.int(),
});
export type InvoiceRecord = z.infer<typeof invoiceRecord>;

/** Which invoice a payment intent, or a charge without one, pays: charges no longer name their invoice (stripe-facts 3.3). */
export const paymentRecord = z.object({ payment: z.string(), invoice: z.string() });
export type PaymentRecord = z.infer<typeof paymentRecord>;

export const chargeRecord = z.object({
  id: z.string(),
  payment: z.string(),
  at: z.int(),
  amount: z.int(),
  currency: z.string(),
  outcome: z.enum(['paid', 'declined', 'pending']),
  paymentMethod: optional,
  methodType: optional,
  brand: optional,
  /** Stripe's own mark of a card or account, the same wherever it is attached. */
  fingerprint: optional,
  cardExpiry: optional,
  code: optional,
  declineCode: optional,
  adviceCode: optional,
  networkCode: optional,
  networkAdvice: optional,
});
export type ChargeRecord = z.infer<typeof chargeRecord>;

/** Undefined for what no customer has. */
export function toInvoiceRecord(invoice: Stripe.Invoice): InvoiceRecord | undefined {
  const customer = customerIdOf(invoice);
  if (customer === undefined) return undefined;
  return {
    id: invoice.id,
    customer,
    subscription: idOf(invoice.parent?.subscription_details?.subscription),
    billingReason: invoice.billing_reason ?? 'manual',
    collectionMethod: invoice.collection_method,
    status: invoice.status ?? 'draft',
    currency: invoice.currency,
    amountDue: invoice.amount_due,
    amountRemaining: invoice.amount_remaining,
    country: invoice.customer_address?.country ?? undefined,
    created: invoice.created,
    paidAt: invoice.status_transitions.paid_at ?? undefined,
    attemptCount: invoice.attempt_count,
  };
}

export function toPaymentRecord({ invoice, payment }: Stripe.InvoicePayment): PaymentRecord | undefined {
  const paidBy = idOf(payment.payment_intent) ?? idOf(payment.charge);
  const invoiceId = idOf(invoice);
  return paidBy === undefined || invoiceId === undefined
    ? undefined
    : { payment: paidBy, invoice: invoiceId };
}

export function toChargeRecord(charge: Stripe.Charge): ChargeRecord {
  const { result, ...facts } = readCharge(charge);
  return chargeRecord.parse({
    ...facts,
    ...result,
    id: charge.id,
    payment: idOf(charge.payment_intent) ?? charge.id,
    at: charge.created,
    outcome: chargeRecord.shape.outcome.catch('pending').parse(result.outcome),
  });
}
