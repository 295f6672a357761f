/** The outcome of a call of `invoices.pay` as data (stripe-facts 3.7). Message texts are not used. */
import { inspect } from 'node:util';
import Stripe from 'stripe';
import { isError } from '../../../core/base/errors.ts';
import { printableText } from '../../../core/base/printable-text.ts';
import type { ChargeFacts } from '../../clients/charge-facts.ts';
import { idOf } from '../../clients/chosen-methods.ts';

/** `detail` is Stripe's message, for people. */
export interface OutcomeCodes extends Omit<ChargeFacts['result'], 'outcome'> {
  readonly chargeId: string | undefined;
}

export type PaymentOutcome =
  | { kind: 'paid'; chargeId: string | undefined }
  /** A delayed method accepted the payment; its event comes days later. */
  | { kind: 'pending'; chargeId: string | undefined }
  | ({ kind: 'declined' } & OutcomeCodes)
  | ({ kind: 'requires_action' } & OutcomeCodes)
  /** Stripe did not try: the invoice's state or the request rules it out. */
  | ({ kind: 'not_payable' } & OutcomeCodes)
  /** No answer, or one that does not tell whether anything was charged. */
  | { kind: 'unknown'; status?: number; error?: string }
  /** Settled by reading: no charge was made. */
  | { kind: 'not_executed'; code: 'no_charge_found' | 'invoice_unknown' };

export function outcomeOfInvoice(invoice: Stripe.Invoice): PaymentOutcome {
  // The SDK returns any JSON with a status below 400, even of a proxy's redirect.
  if (invoice.object !== 'invoice') return { kind: 'unknown' };
  return { kind: invoice.status === 'paid' ? 'paid' : 'pending', chargeId: findLatestCharge(invoice) };
}

/** The charge in an answer to `pay` with expanded payments. */
function findLatestCharge(invoice: Stripe.Invoice): string | undefined {
  const payments = invoice.payments?.data ?? [];
  const intent = (payments.find((payment) => payment.is_default) ?? payments[0])?.payment.payment_intent;
  return typeof intent === 'object' && intent !== null ? idOf(intent.latest_charge) : undefined;
}

/** Codes that ask for the customer, not for another card. */
const REQUIRES_ACTION: ReadonlySet<string> = new Set([
  'authentication_required',
  'invoice_payment_intent_requires_action',
  'payment_intent_action_required',
]);

const { StripeRateLimitError: RateLimitError, StripeIdempotencyError: IdempotencyError } = Stripe.errors;

export function outcomeOfError(error: unknown): PaymentOutcome {
  if (!(error instanceof Stripe.errors.StripeError)) return { kind: 'unknown', error: describe(error) };
  const { statusCode } = error;
  const codes = readCodes(error);
  if (statusCode === 402) {
    const needsAction = REQUIRES_ACTION.has(codes.declineCode ?? '') || REQUIRES_ACTION.has(codes.code ?? '');
    if (!needsAction) return { kind: 'declined', ...codes };
    // Without a charge the attempt's event is known by the intent.
    return { kind: 'requires_action', ...codes, chargeId: codes.chargeId ?? idOf(error.payment_intent) };
  }
  // A 400 may also mean "too fast", and an error about the key says nothing about its attempt (stripe-facts 3.7).
  const isAboutState = !(error instanceof RateLimitError || error instanceof IdempotencyError);
  if (isAboutState && (statusCode === 400 || statusCode === 404)) return { kind: 'not_payable', ...codes };
  const { message } = error;
  return { kind: 'unknown', ...(statusCode === undefined ? {} : { status: statusCode }), error: message };
}

function readCodes(error: InstanceType<typeof Stripe.errors.StripeError>): OutcomeCodes {
  return {
    chargeId: idOf(error.charge),
    code: error.code,
    // The SDK returns an empty text for none.
    declineCode: error.decline_code || undefined,
    adviceCode: error.advice_code,
    networkCode: error.network_decline_code,
    networkAdvice: error.network_advice_code,
    detail: printableText(error.message),
  };
}

/** `inspect` describes anything; `String` may throw. */
function describe(error: unknown): string {
  return isError(error) ? error.message : inspect(error, { depth: 1 });
}
