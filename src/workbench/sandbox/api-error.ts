import type { Decline } from './decline-details.ts';
import { declineMessage } from './decline-details.ts';
import type { Charge, PaymentIntent, PaymentMethod } from './objects/wire.ts';

/** The body of an error answer, `error` in Stripe's JSON. */
export interface ApiErrorBody {
  type:
    | 'api_error'
    | 'card_error'
    | 'idempotency_error'
    | 'invalid_request_error'
    // Of API v2.
    | 'already_exists'
    | 'cannot_proceed'
    | 'feature_not_enabled';
  message: string;
  code?: string;
  /** Reason of `cannot_proceed`. */
  reason?: string;
  param?: string;
  doc_url?: string;
  decline_code?: string;
  advice_code?: string;
  network_decline_code?: string;
  network_advice_code?: string;
  charge?: string;
  payment_intent?: PaymentIntent;
  payment_method?: PaymentMethod;
  payment_method_type?: string;
}

/** An answer of Stripe that is not a 2xx. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ApiErrorBody;
  /** Whether it is kept under the idempotency key: true once the endpoint began to work (stripe-facts 3.8). */
  readonly isStored: boolean;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    body: ApiErrorBody,
    options: { isStored: boolean; headers?: Readonly<Record<string, string>> },
  ) {
    super(body.message);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
    this.isStored = options.isStored;
    this.headers = options.headers ?? {};
  }
}

/** The endpoint ran and refused. */
export function refused(message: string, detail: { code?: string; param?: string } = {}): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', message, ...detail }, { isStored: true });
}

/** The endpoint never ran: a call with the same key is a new one. */
export function unexecuted(
  status: number,
  body: ApiErrorBody,
  headers: Readonly<Record<string, string>> = {},
): ApiError {
  return new ApiError(status, body, { isStored: false, headers });
}

/** The parameters did not pass. */
export function invalidParameter(message: string, detail: { code?: string; param?: string }): ApiError {
  return unexecuted(400, { type: 'invalid_request_error', message, ...detail });
}

export function resourceMissing(kind: string, id: string, param = 'id'): ApiError {
  return new ApiError(
    404,
    { type: 'invalid_request_error', code: 'resource_missing', param, message: `No such ${kind}: '${id}'` },
    { isStored: true },
  );
}

/** `kind`: what Stripe calls it when there is none. */
export function retrieve<Item>(from: { get(id: string): Item | undefined }, kind: string, id: string): Item {
  const item = from.get(id);
  if (item === undefined) throw resourceMissing(kind, id);
  return item;
}

export function unauthorized(message: string): ApiError {
  return unexecuted(401, { type: 'invalid_request_error', message });
}

/** What a platform gets for an account that is not, or no longer, connected (stripe-facts 1.5). */
export function noAccess(account: string): ApiError {
  const message = `The provided key does not have access to account '${account}' (or that account does not exist). Application access may have been revoked.`;
  return unexecuted(403, { type: 'invalid_request_error', code: 'account_invalid', message });
}

export interface FailedPayment {
  decline: Decline;
  charge: Charge;
  paymentIntent: PaymentIntent;
  method: PaymentMethod;
}

export function cardError({ decline, charge, paymentIntent, method }: FailedPayment): ApiError {
  const { declineCode, adviceCode, networkDeclineCode, networkAdviceCode } = decline;
  return paymentError(paymentIntent, method, {
    code: decline.errorCode,
    message: declineMessage(decline),
    charge: charge.id,
    ...(declineCode === null ? {} : { decline_code: declineCode }),
    ...(adviceCode === null ? {} : { advice_code: adviceCode }),
    ...(networkDeclineCode === null ? {} : { network_decline_code: networkDeclineCode }),
    ...(networkAdviceCode === null ? {} : { network_advice_code: networkAdviceCode }),
  });
}

/** The payment failed before a charge was made. */
export function unchargedError(code: string, paymentIntent: PaymentIntent, method: PaymentMethod): ApiError {
  const message = 'The payment was refused before a charge was made.';
  return paymentError(paymentIntent, method, { code, message });
}

export function requiresActionError(paymentIntent: PaymentIntent, method: PaymentMethod): ApiError {
  return paymentError(paymentIntent, method, {
    code: 'invoice_payment_intent_requires_action',
    message:
      'Payment for this invoice requires additional user action before it can be completed successfully.',
  });
}

function paymentError(
  intent: PaymentIntent,
  method: PaymentMethod,
  body: Omit<ApiErrorBody, 'type'>,
): ApiError {
  const of = { payment_intent: intent, payment_method: method, payment_method_type: method.type };
  return new ApiError(402, { type: 'card_error', ...of, ...body }, { isStored: true });
}
