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
  /** Of `cannot_proceed`. */
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
    options: { isStored: boolean; headers?: Record<string, string> },
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

/** The parameters did not pass; the endpoint never ran. */
export function invalidParameter(message: string, detail: { code?: string; param?: string }): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', message, ...detail }, { isStored: false });
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
  return new ApiError(401, { type: 'invalid_request_error', message }, { isStored: false });
}

/** What a platform gets for an account that is not, or no longer, connected (stripe-facts 1.5). */
export function noAccess(account: string): ApiError {
  const message = `The provided key does not have access to account '${account}' (or that account does not exist). Application access may have been revoked.`;
  return new ApiError(
    403,
    { type: 'invalid_request_error', code: 'account_invalid', message },
    { isStored: false },
  );
}

export interface FailedPayment {
  decline: Decline;
  charge: Charge;
  paymentIntent: PaymentIntent;
  method: PaymentMethod;
}

export function cardError({ decline, charge, paymentIntent, method }: FailedPayment): ApiError {
  const { declineCode, adviceCode, networkDeclineCode, networkAdviceCode } = decline;
  const body: ApiErrorBody = {
    type: 'card_error',
    code: decline.errorCode,
    message: declineMessage(decline),
    charge: charge.id,
    payment_intent: paymentIntent,
    payment_method: method,
    payment_method_type: method.type,
    ...(declineCode === null ? {} : { decline_code: declineCode }),
    ...(adviceCode === null ? {} : { advice_code: adviceCode }),
    ...(networkDeclineCode === null ? {} : { network_decline_code: networkDeclineCode }),
    ...(networkAdviceCode === null ? {} : { network_advice_code: networkAdviceCode }),
  };
  return new ApiError(402, body, { isStored: true });
}

/** The payment failed before a charge was made. */
export function unchargedError(code: string, paymentIntent: PaymentIntent, method: PaymentMethod): ApiError {
  const body: ApiErrorBody = {
    type: 'card_error',
    code,
    message: 'The payment was refused before a charge was made.',
    payment_intent: paymentIntent,
    payment_method: method,
    payment_method_type: method.type,
  };
  return new ApiError(402, body, { isStored: true });
}

export function requiresActionError(paymentIntent: PaymentIntent, method: PaymentMethod): ApiError {
  const body: ApiErrorBody = {
    type: 'card_error',
    code: 'invoice_payment_intent_requires_action',
    message:
      'Payment for this invoice requires additional user action before it can be completed successfully.',
    payment_intent: paymentIntent,
    payment_method: method,
    payment_method_type: method.type,
  };
  return new ApiError(402, body, { isStored: true });
}
