/** What one call of `invoices.pay` came to, as data (stripe-facts 3.7). Nothing here looks at message texts. */
import { inspect } from 'node:util';
import Stripe from 'stripe';
import { isError } from '../../../core/base/errors.ts';
import { printableText } from '../../../core/base/printable-text.ts';
import type { ChargeResult } from '../../clients/charge-facts.ts';
import { idOf } from '../../clients/stripe-client.ts';

/** `detail` is Stripe's message, for people. */
export interface OutcomeCodes extends Omit<ChargeResult, 'outcome'> {
  readonly chargeId: string | undefined;
}

export type PaymentOutcome =
  | { kind: 'paid'; chargeId: string | undefined }
  /** A delayed method accepted the payment; the result comes as an event, days later. */
  | { kind: 'pending'; chargeId: string | undefined }
  | ({ kind: 'declined' } & OutcomeCodes)
  | ({ kind: 'requires_action' } & OutcomeCodes)
  /** Stripe would not try: the invoice's state or the request stands against it. */
  | ({ kind: 'not_payable' } & OutcomeCodes)
  /** No answer, or one that does not say whether anything was charged. */
  | { kind: 'unknown'; status?: number; error?: string }
  /** Settled by reading: the call never reached a charge. */
  | { kind: 'not_executed'; code: 'no_charge_found' | 'invoice_unknown' };

export function outcomeOfInvoice(invoice: Stripe.Invoice): PaymentOutcome {
  // The SDK hands over whatever JSON came with a status below 400, a proxy's redirect included.
  if (invoice.object !== 'invoice') return { kind: 'unknown' };
  return { kind: invoice.status === 'paid' ? 'paid' : 'pending', chargeId: findLatestCharge(invoice) };
}

/** The charge in an answer to `pay`, where its payments were expanded. */
function findLatestCharge(invoice: Stripe.Invoice): string | undefined {
  const payments = invoice.payments?.data ?? [];
  const intent = (payments.find((payment) => payment.is_default) ?? payments[0])?.payment.payment_intent;
  return typeof intent === 'object' && intent !== null ? idOf(intent.latest_charge) : undefined;
}

/** Codes by which the customer, not the card, is what is missing. */
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
    // Without a charge the intent is what the event of the same attempt is known by.
    return { kind: 'requires_action', ...codes, chargeId: codes.chargeId ?? idOf(error.payment_intent) };
  }
  // A 400 can also mean "too fast", and one about the key says nothing of the attempt it belongs to (stripe-facts 3.7).
  const isAboutState = !(error instanceof RateLimitError || error instanceof IdempotencyError);
  if (isAboutState && (statusCode === 400 || statusCode === 404)) return { kind: 'not_payable', ...codes };
  const { message } = error;
  return { kind: 'unknown', ...(statusCode === undefined ? {} : { status: statusCode }), error: message };
}

function readCodes(error: InstanceType<typeof Stripe.errors.StripeError>): OutcomeCodes {
  return {
    chargeId: idOf(error.charge),
    code: error.code,
    // The SDK gives an empty text where Stripe gives none.
    declineCode: error.decline_code || undefined,
    adviceCode: error.advice_code,
    networkCode: error.network_decline_code,
    networkAdvice: error.network_advice_code,
    detail: printableText(error.message),
  };
}

/** `inspect` describes anything; `String` throws for objects that cannot become text. */
function describe(error: unknown): string {
  return isError(error) ? error.message : inspect(error, { depth: 1 });
}
