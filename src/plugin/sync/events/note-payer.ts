/** Payer, method and plans of a failed invoice, from the invoice and its charges. Pure. */
import type Stripe from 'stripe';
import { printableText } from '../../../core/base/printable-text.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import type { KnownCard, Payer } from '../../store/tables/sync/payers.ts';

/** Undefined unless a payment failed: other payers are not stored. */
export function readPayer(invoice: Stripe.Invoice): Payer | undefined {
  const { attempted, attempt_count: attempts, status, customer_name, customer_email } = invoice;
  if (status === 'paid' ? attempts <= 1 : !attempted) return undefined;
  const id = customerIdOf(invoice);
  return {
    customer:
      id === undefined ? undefined : { id, name: textOf(customer_name), email: textOf(customer_email) },
    plans: (invoice.lines?.data ?? []).flatMap(toPlan),
  };
}

/** Cards of failed charges. */
export function readCards(charges: readonly Stripe.Charge[]): KnownCard[] {
  return charges.filter(({ status }) => status === 'failed').flatMap(toCard);
}

function textOf(text: string | null | undefined): string | null {
  return printableText(text ?? '') || null;
}

function toCard({ payment_method: id, payment_method_details: details }: Stripe.Charge): KnownCard[] {
  const { card, us_bank_account: us, sepa_debit: sepa, bacs_debit: bacs } = details ?? {};
  if (!id) return [];
  return [
    { id, last4: (card ?? us ?? sepa ?? bacs)?.last4 ?? null, country: (card ?? sepa)?.country ?? null },
  ];
}

/** Stripe's line text, such as "1 × Gold (at $20.00 / month)", in the account's language. */
const LINE = /^\d+ × (.+) \([^(]*\)$/;

function toPlan({ pricing, description }: Stripe.InvoiceLineItem) {
  const { price, product = null } = pricing?.price_details ?? {};
  const id = typeof price === 'string' ? price : price?.id;
  const words = textOf(description);
  return id === undefined || words === null ? [] : [{ id, name: LINE.exec(words)?.[1] ?? words, product }];
}
