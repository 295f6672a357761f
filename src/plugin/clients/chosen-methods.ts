import type Stripe from 'stripe';
import { ownerIdsOf } from './customer-reference.ts';

export type ChosenMethod = string | Stripe.PaymentMethod | Stripe.CustomerSource;

/** Methods named by an invoice, its subscription or its customer, in Stripe's order. Skips expanded detached ones (stripe-facts 3.6). */
export function listChosenMethods(invoice: Stripe.Invoice): ChosenMethod[] {
  const subscription = expanded(invoice.parent?.subscription_details?.subscription);
  const customer = expanded(invoice.customer);
  const living = customer && !customer.deleted ? customer : undefined;
  const candidates = [
    invoice.default_payment_method,
    invoice.default_source,
    subscription?.default_payment_method,
    subscription?.default_source,
    living?.invoice_settings.default_payment_method,
    living?.default_source,
  ];
  return candidates
    .filter((candidate) => candidate !== null && candidate !== undefined)
    .filter((candidate) => !isDetached(candidate));
}

function isDetached(candidate: ChosenMethod): boolean {
  const method = expanded(candidate);
  return method?.object === 'payment_method' && ownerIdsOf(method).length === 0;
}

/** The object of an expanded reference. */
export function expanded<T extends object>(reference: string | T | null | undefined): T | undefined {
  return typeof reference === 'object' && reference !== null ? reference : undefined;
}

/** The id of a reference, expanded or not. */
export function idOf(reference: string | { id: string } | null | undefined): string | undefined {
  if (reference === null || reference === undefined) return undefined;
  return typeof reference === 'string' ? reference : reference.id;
}
