/** Who pays a failed invoice, with what and for what, as its event and its charges tell. Pure. */
import type Stripe from 'stripe';
import { customerIdOf } from '../../clients/customer-reference.ts';
import type { Payer } from '../../store/tables/sync/payers.ts';
import { printableText } from '../map/printable-text.ts';

export function readPayer(invoice: Stripe.Invoice, charges: readonly Stripe.Charge[]): Payer {
  const id = customerIdOf(invoice);
  const name = textOf(invoice.customer_name);
  return {
    customer: id === undefined ? undefined : { id, name, email: textOf(invoice.customer_email) },
    cards: charges.flatMap(toCard),
    plans: (invoice.lines?.data ?? []).flatMap(toPlan),
  };
}

function textOf(text: string | null | undefined): string | null {
  return printableText(text ?? '') || null;
}

function toCard({ payment_method: id, payment_method_details: details }: Stripe.Charge) {
  const { card, us_bank_account: us, sepa_debit: sepa, bacs_debit: bacs } = details ?? {};
  if (!id) return [];
  return [
    { id, last4: (card ?? us ?? sepa ?? bacs)?.last4 ?? null, country: (card ?? sepa)?.country ?? null },
  ];
}

/** Stripe writes "1 × Gold (at $20.00 / month)" on a line, in the words of the account's language. */
const LINE = /^\d+ × (.+) \(.*\)$/;

function toPlan({ pricing, description }: Stripe.InvoiceLineItem) {
  const price = pricing?.price_details?.price;
  const id = typeof price === 'string' ? price : price?.id;
  const words = textOf(description);
  return id === undefined || words === null ? [] : [{ id, name: LINE.exec(words)?.[1] ?? words }];
}
