/**
 * Stripe's Smart Retries Signal, a private preview that the library does not know: by `rawRequest`, in the preview's version, and with
 * declarations of our own (stripe-facts 4.6).
 */
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { z } from 'zod';
import { UpstreamError } from '../../core/base/errors.ts';
import type { BeforeWrite } from './stripe-changes.ts';
import { orUndefined } from './stripe-refusals.ts';

/** The version in which Stripe's libraries first declared it. */
export const SIGNAL_VERSION = '2026-08-26.preview';
const EVALUATIONS = '/v2/signals/payment_retry_evaluations';

const time = z
  .string()
  .transform((iso) => DateTime.fromISO(iso, { zone: 'utc' }))
  .refine((at) => at.isValid, 'must be an ISO 8601 time');

const signal = z.object({
  id: z.string(),
  created: time,
  /** `retry_now`, `wait`, `give_up`, or what is still to come; the reason is a sentence for people. */
  recommendation: z.object({ action: z.string(), reason: z.string().catch('') }),
});

const evaluation = z.object({
  id: z.string(),
  /** `monitoring`, `completed`, `expired`, `canceled`, or what is still to come. */
  status: z.string(),
  payment_intent: z.string().nullish(),
  latest_signal: signal.nullish(),
});

export type RetryEvaluation = z.output<typeof evaluation>;

const recommended = z.object({
  data: z.object({ id: z.string(), payment_intent: z.string().nullish() }),
});

/** What Stripe would not do. */
export type SignalRefusal =
  /** About this payment. `why`: Stripe's code or sentence. */
  | {
      readonly kind: 'refused';
      readonly code: 'already_exists' | 'cannot_proceed' | 'invalid';
      readonly why: string;
    }
  /** The account has no part in the preview, or the key may not. */
  | { readonly kind: 'unavailable'; readonly why: string }
  /** Stripe has no such evaluation, or not any more. */
  | { readonly kind: 'gone' };

export type SignalAnswer = { readonly kind: 'ok'; readonly evaluation: RetryEvaluation } | SignalRefusal;

export function createRetrySignal(
  stripe: Stripe,
  on: (account: string) => Stripe.RequestOptions,
  beforeWrite: BeforeWrite,
) {
  const options = (account: string) => ({ ...on(account), apiVersion: SIGNAL_VERSION });
  const change = async (account: string, path: string, params: object, idempotencyKey: string) => {
    await beforeWrite(account);
    return answerOf(() =>
      stripe.rawRequest('POST', path, { ...params }, { ...options(account), idempotencyKey }),
    );
  };
  return {
    /** Has Stripe say when a failed payment is worth another try. Safe to repeat with its key. */
    watchPayment: (account: string, paymentIntent: string, idempotencyKey: string) =>
      change(account, EVALUATIONS, { payment_intent: paymentIntent }, idempotencyKey),

    findEvaluation: (account: string, id: string) =>
      answerOf(() => stripe.rawRequest('GET', `${EVALUATIONS}/${idOfPath(id)}`, {}, options(account))),

    /** Another payment for the same debt. */
    replaceWatched: (account: string, id: string, paymentIntent: string) =>
      change(
        account,
        `${EVALUATIONS}/${idOfPath(id)}`,
        { payment_intent: paymentIntent },
        `${id} ${paymentIntent}`,
      ),

    cancelEvaluation: (account: string, id: string, reason: string) =>
      change(
        account,
        `${EVALUATIONS}/${idOfPath(id)}/cancel`,
        { cancellation_reason: reason },
        `${id} cancel`,
      ),

    /** Which evaluation an event is about: it has no related object. */
    findRecommended: async (account: string, eventId: string) => {
      const told = await orUndefined(() =>
        stripe.rawRequest('GET', `/v2/core/events/${idOfPath(eventId)}`, {}, options(account)),
      );
      const { data } = recommended.safeParse(told);
      return data && { evaluationId: data.data.id, paymentIntent: data.data.payment_intent ?? undefined };
    },
  };
}

const idOfPath = (id: string) => encodeURIComponent(id);

async function answerOf(call: () => Promise<unknown>): Promise<SignalAnswer> {
  try {
    const { data, error } = evaluation.safeParse(await call());
    if (data) return { kind: 'ok', evaluation: data };
    throw new UpstreamError('Stripe answered with something that is no evaluation.', {
      retryable: true,
      cause: error,
    });
  } catch (error) {
    const refusal = error instanceof Stripe.errors.StripeError ? readRefusal(error) : undefined;
    if (refusal === undefined) throw error;
    return refusal;
  }
}

const CODES = ['already_exists', 'cannot_proceed'] as const;

/** By the type or code that Stripe gives, whatever the status is; undefined where it may be another time. */
function readRefusal(error: InstanceType<typeof Stripe.errors.StripeError>): SignalRefusal | undefined {
  const { statusCode, rawType, code, message } = error;
  const named = CODES.find((one) => one === rawType || one === code);
  if (named) return { kind: 'refused', code: named, why: reasonOf(error) ?? message };
  if (statusCode === 403 || rawType === 'feature_not_enabled') return { kind: 'unavailable', why: message };
  if (statusCode === 404 && !isMissing(error)) return { kind: 'unavailable', why: message };
  if (statusCode === 404) return { kind: 'gone' };
  const isTooFast = error instanceof Stripe.errors.StripeRateLimitError;
  return statusCode === 400 && !isTooFast ? { kind: 'refused', code: 'invalid', why: message } : undefined;
}

/** An address that Stripe does not have for the account answers 404, too, and names no missing object. */
function isMissing({ code }: InstanceType<typeof Stripe.errors.StripeError>): boolean {
  return code === 'resource_missing' || code === 'not_found';
}

/** `cannot_proceed` says why. */
function reasonOf(error: object): string | undefined {
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : undefined;
}
