/** Detects a latest attempt without a charge, and its cause. Pure. */
import type Stripe from 'stripe';
import { MISSING_PAYMENT_METHOD, unchargedAttemptId } from '../../../core/contract/failed-transaction.ts';
import { expanded, listChosenMethods, subscriptionOf } from '../../clients/chosen-methods.ts';

export interface UnchargedFailure {
  /** Equal for all reports of the same attempt. */
  readonly id: string;
  readonly paymentIntent: string | undefined;
  readonly code: string | undefined;
  readonly declineCode: string | undefined;
  readonly adviceCode: string | undefined;
  /** The method that was to be charged, if any. */
  readonly method: Stripe.PaymentMethod | undefined;
}

/** A first payment belongs to the checkout, which asks the customer itself. */
const SIGN_UP: ReadonlySet<string> = new Set(['incomplete', 'incomplete_expired']);

/** Statuses of payments that are not under way. */
const AT_REST: ReadonlySet<string> = new Set(['requires_payment_method', 'canceled', 'succeeded']);

/**
 * Reads the current invoice with expanded payments, subscription and customer, and all its charges. Undefined if nothing is to be charged,
 * a payment is under way, or a charge shows the attempt.
 */
export function readUnchargedFailure(
  invoice: Stripe.Invoice,
  charges: readonly Stripe.Charge[],
): UnchargedFailure | undefined {
  if (!isFailed(invoice)) return undefined;
  const intents = (invoice.payments?.data ?? []).flatMap(
    ({ payment }) => expanded(payment.payment_intent) ?? [],
  );
  if (!intents.every(({ status }) => AT_REST.has(status))) return undefined;
  const intent = intents.find(({ last_payment_error: last }) => last !== null) ?? intents[0];
  const error = intent?.last_payment_error ?? undefined;
  if (error === undefined) return charges.every(isPart) ? withoutError(invoice, intent?.id) : undefined;
  if (error.charge !== undefined || charges.some((charge) => isReportedBy(charge, error))) return undefined;
  const { code, decline_code: declineCode, advice_code: adviceCode, payment_method: method } = error;
  return {
    id: idOfAttempt(invoice, declineCode ?? code),
    paymentIntent: intent?.id,
    code,
    declineCode,
    adviceCode,
    method,
  };
}

/** A part of the invoice may have been paid (stripe-facts 3.15). */
const isPart = ({ status }: Stripe.Charge): boolean => status === 'succeeded';

function isFailed(invoice: Stripe.Invoice): boolean {
  const subscription = subscriptionOf(invoice);
  return (
    invoice.status === 'open' &&
    invoice.attempted &&
    invoice.amount_remaining > 0 &&
    invoice.collection_method === 'charge_automatically' &&
    !SIGN_UP.has(subscription?.status ?? '')
  );
}

/** Stripe gives no error without a method to charge (stripe-facts 4.2). */
function withoutError(invoice: Stripe.Invoice, paymentIntent: string | undefined): UnchargedFailure {
  const code = listChosenMethods(invoice).length === 0 ? MISSING_PAYMENT_METHOD : undefined;
  const nothing = { declineCode: undefined, adviceCode: undefined, method: undefined };
  return { id: idOfAttempt(invoice, code), paymentIntent, code, ...nothing };
}

/** Errors of bank debits do not name their charge (stripe-facts 5.9). */
function isReportedBy(
  { status, failure_code: code }: Stripe.Charge,
  error: Stripe.PaymentIntent.LastPaymentError,
) {
  return status === 'failed' && code !== null && code === error.code;
}

/** `attempt_count` does not count all attempts (stripe-facts 3.2). */
function idOfAttempt({ id, attempt_count: count }: Stripe.Invoice, code: string | undefined): string {
  return unchargedAttemptId(id, [count, code ?? 'unknown'].join('_'));
}
