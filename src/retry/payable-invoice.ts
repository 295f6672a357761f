/** What the decision to pay rests on, taken from one read of the invoice with its payments, subscription and customer. */

import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { idOf } from '../clients/stripe-client.ts';
import { fromUnixSeconds } from '../clock.ts';

export interface PaymentMethodFacts {
  readonly id: string;
  readonly type: string | undefined;
  readonly brand: string | undefined;
  readonly fingerprint: string | undefined;
}

export interface PayableInvoice {
  readonly id: string;
  readonly status: string;
  readonly amountRemaining: number;
  readonly currency: string;
  readonly collectionMethod: string;
  readonly isProcessing: boolean;
  readonly nextStripeAttemptAt: DateTime | undefined;
  readonly hostedUrl: string | undefined;
  readonly customer: Stripe.Customer | undefined;
  readonly customerId: string;
  readonly subscription:
    | {
        readonly id: string;
        readonly status: string;
        readonly isPaused: boolean;
        readonly endedAt?: DateTime;
      }
    | undefined;
  /** What Stripe would charge by itself (facts 3.6); the details are known only where Stripe expanded them. */
  readonly defaultMethod: PaymentMethodFacts | undefined;
  /** What the invoice, its subscription or the customer name as the method to pay with. Other cards may be on file. */
  readonly chosenMethods: readonly string[];
}

export function readPayableInvoice(invoice: Stripe.Invoice): PayableInvoice {
  const customer = expanded(invoice.customer);
  const subscription = expanded(invoice.parent?.subscription_details?.subscription);
  const { next_payment_attempt: next } = invoice;
  const ended = subscription?.ended_at ?? null;
  const chosen = listChosenMethods(invoice, subscription, customer);
  return {
    id: invoice.id,
    status: invoice.status ?? 'draft',
    amountRemaining: invoice.amount_remaining,
    currency: invoice.currency,
    collectionMethod: invoice.collection_method,
    isProcessing: (invoice.payments?.data ?? []).some(isProcessing),
    nextStripeAttemptAt: typeof next === 'number' && invoice.auto_advance ? fromUnixSeconds(next) : undefined,
    hostedUrl: invoice.hosted_invoice_url ?? undefined,
    customer: customer && !customer.deleted ? customer : undefined,
    customerId: idOf(invoice.customer) ?? '',
    subscription: subscription && {
      id: subscription.id,
      status: subscription.status,
      isPaused: subscription.pause_collection !== null,
      ...(ended === null ? {} : { endedAt: fromUnixSeconds(ended) }),
    },
    defaultMethod: readMethod(chosen[0]),
    chosenMethods: chosen.flatMap((method) => idOf(method) ?? []),
  };
}

function isProcessing(payment: Stripe.InvoicePayment): boolean {
  return expanded(payment.payment.payment_intent)?.status === 'processing';
}

type ChosenMethod = string | Stripe.PaymentMethod | Stripe.CustomerSource;

/** In Stripe's own order of resolution (facts 3.6). */
function listChosenMethods(
  invoice: Stripe.Invoice,
  subscription: Stripe.Subscription | undefined,
  customer: Stripe.Customer | Stripe.DeletedCustomer | undefined,
): ChosenMethod[] {
  const living = customer && !customer.deleted ? customer : undefined;
  const candidates = [
    invoice.default_payment_method,
    invoice.default_source,
    subscription?.default_payment_method,
    subscription?.default_source,
    living?.invoice_settings.default_payment_method,
    living?.default_source,
  ];
  return candidates.filter((candidate) => candidate !== null && candidate !== undefined);
}

function readMethod(chosen: ChosenMethod | undefined): PaymentMethodFacts | undefined {
  if (!chosen) return undefined;
  if (typeof chosen === 'string')
    return { id: chosen, type: undefined, brand: undefined, fingerprint: undefined };
  if (chosen.object === 'payment_method') return methodFacts(chosen);
  return { id: chosen.id, type: chosen.object, brand: undefined, fingerprint: undefined };
}

export function methodFacts(method: Stripe.PaymentMethod): PaymentMethodFacts {
  const account = method.us_bank_account ?? method.sepa_debit ?? method.bacs_debit;
  return {
    id: method.id,
    type: method.type,
    brand: method.card?.brand,
    fingerprint: method.card?.fingerprint ?? account?.fingerprint ?? undefined,
  };
}

function expanded<T extends object>(reference: string | T | null | undefined): T | undefined {
  return typeof reference === 'object' && reference !== null ? reference : undefined;
}
