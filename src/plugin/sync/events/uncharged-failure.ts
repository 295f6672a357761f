/** Whether the latest attempt on an invoice made no charge, and why. Pure. */
import type Stripe from 'stripe';
import { MISSING_PAYMENT_METHOD, unchargedAttemptId } from '../../../core/contract/failed-transaction.ts';
import { expanded, listChosenMethods } from '../../clients/chosen-methods.ts';

export interface UnchargedFailure {
  /** The same for the same attempt, however often and by whatever it is reported. */
  readonly id: string;
  readonly paymentIntent: string | undefined;
  readonly code: string | undefined;
  readonly declineCode: string | undefined;
  readonly adviceCode: string | undefined;
  /** The method that was to be charged, if there was one. */
  readonly method: Stripe.PaymentMethod | undefined;
}

/** A first payment that is still open belongs to the checkout, which asks the customer itself. */
const SIGN_UP: ReadonlySet<string> = new Set(['incomplete', 'incomplete_expired']);

/** Of payments that are not under way. */
const AT_REST: ReadonlySet<string> = new Set(['requires_payment_method', 'canceled', 'succeeded']);

/**
 * Read from the invoice as it is now, with its payments, subscription and customer expanded, and from all its charges.
 * Undefined while there is nothing to collect by charging, a payment is under way, or a charge shows the attempt.
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

/** Of several payments of an invoice one can have paid its part (stripe-facts 3.15). */
const isPart = ({ status }: Stripe.Charge): boolean => status === 'succeeded';

function isFailed(invoice: Stripe.Invoice): boolean {
  const subscription = expanded(invoice.parent?.subscription_details?.subscription);
  return (
    invoice.status === 'open' &&
    invoice.attempted &&
    invoice.amount_remaining > 0 &&
    invoice.collection_method === 'charge_automatically' &&
    !SIGN_UP.has(subscription?.status ?? '')
  );
}

/** Stripe gives no error where there was nothing to charge (stripe-facts 4.2). */
function withoutError(invoice: Stripe.Invoice, paymentIntent: string | undefined): UnchargedFailure {
  const code = listChosenMethods(invoice).length === 0 ? MISSING_PAYMENT_METHOD : undefined;
  const nothing = { declineCode: undefined, adviceCode: undefined, method: undefined };
  return { id: idOfAttempt(invoice, code), paymentIntent, code, ...nothing };
}

/** The errors of bank debits do not name their charge (stripe-facts 5.9). */
function isReportedBy(
  { status, failure_code: code }: Stripe.Charge,
  error: Stripe.PaymentIntent.LastPaymentError,
) {
  return status === 'failed' && code !== null && code === error.code;
}

/** `attempt_count` alone would not do: it does not count every attempt (stripe-facts 3.2). */
function idOfAttempt({ id, attempt_count: count }: Stripe.Invoice, code: string | undefined): string {
  return unchargedAttemptId(id, [count, code ?? 'unknown'].join('_'));
}
