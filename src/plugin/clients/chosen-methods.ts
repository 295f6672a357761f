import type Stripe from 'stripe';
import { ownerIdsOf } from './customer-reference.ts';

export type ChosenMethod = string | Stripe.PaymentMethod | Stripe.CustomerSource;

/** Methods named by an invoice, its subscription or its customer, in Stripe's order. Skips expanded detached ones (stripe-facts 3.6). */
export function listChosenMethods(invoice: Stripe.Invoice): ChosenMethod[] {
  const subscription = subscriptionOf(invoice);
  const customer = livingCustomerOf(invoice);
  const candidates = [
    invoice.default_payment_method,
    invoice.default_source,
    subscription?.default_payment_method,
    subscription?.default_source,
    customer?.invoice_settings.default_payment_method,
    customer?.default_source,
  ];
  return candidates
    .filter((candidate) => candidate !== null && candidate !== undefined)
    .filter((candidate) => !isDetached(candidate));
}

function isDetached(candidate: ChosenMethod): boolean {
  const method = expanded(candidate);
  return method?.object === 'payment_method' && ownerIdsOf(method).length === 0;
}

/** The invoice's subscription, if expanded. */
export function subscriptionOf({ parent }: Pick<Stripe.Invoice, 'parent'>): Stripe.Subscription | undefined {
  return expanded(parent?.subscription_details?.subscription);
}

export function subscriptionIdOf({ parent }: Pick<Stripe.Invoice, 'parent'>): string | undefined {
  return idOf(parent?.subscription_details?.subscription);
}

/** The invoice's customer, if expanded and not deleted. */
export function livingCustomerOf(invoice: Stripe.Invoice): Stripe.Customer | undefined {
  const customer = expanded(invoice.customer);
  return customer && !customer.deleted ? customer : undefined;
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
