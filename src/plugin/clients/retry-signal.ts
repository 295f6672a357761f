/** Stripe's Smart Retries Signal, a private preview that the library lacks: raw requests in the preview's version (stripe-facts 4.6). */
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { z } from 'zod';
import { UpstreamError } from '../../core/base/errors.ts';
import type { Reason } from '../reasons/reason.ts';
import type { BeforeWrite } from './stripe-changes.ts';
import { orUndefined } from './stripe-refusals.ts';

/** First preview version with the signal. */
export const SIGNAL_VERSION = '2026-08-26.preview';
const EVALUATIONS = '/v2/signals/payment_retry_evaluations';

const time = z
  .string()
  .transform((iso) => DateTime.fromISO(iso, { zone: 'utc' }))
  .refine((at) => at.isValid, 'must be an ISO 8601 time');

const signal = z
  .object({
    id: z.string(),
    created: time,
    /** `retry_now`, `wait`, `give_up` or a future value; the reason is a sentence for people. */
    recommendation: z.object({ action: z.string(), reason: z.string().catch('') }),
  })
  .transform(({ id, created, recommendation: { action, reason } }) => ({
    signalId: id,
    signalAt: created,
    action,
    because: reason,
  }));
export type RetrySignal = z.output<typeof signal>;

const evaluation = z.object({
  id: z.string(),
  /** `monitoring`, `completed`, `expired`, `canceled` or a future value. */
  status: z.string(),
  latest_signal: signal.nullish(),
});

const recommended = z.object({
  data: z.object({ id: z.string(), payment_intent: z.string().nullish() }),
});

/** `refused` for this payment, `unavailable` to the account or key, `gone`: no such evaluation, or not any more. */
export interface SignalRefusal {
  readonly kind: 'refused' | 'unavailable' | 'gone';
  readonly reason: Reason;
}

export type SignalAnswer =
  | { readonly kind: 'ok'; readonly evaluation: z.output<typeof evaluation> }
  | SignalRefusal;

export function createRetrySignal(
  stripe: Stripe,
  on: (account: string) => Stripe.RequestOptions,
  beforeWrite: BeforeWrite,
) {
  const options = (account: string) => ({ ...on(account), apiVersion: SIGNAL_VERSION });
  const read = (account: string, path: string) => stripe.rawRequest('GET', path, {}, options(account));
  const change = async (account: string, path: string, params: { [name: string]: string }, key: string) => {
    await beforeWrite(account);
    const idempotencyKey = key;
    return answerOf(stripe.rawRequest('POST', path, params, { ...options(account), idempotencyKey }));
  };
  return {
    /** Asks Stripe when a failed payment is worth another try. Safe to repeat with its key. */
    watchPayment: (account: string, paymentIntent: string, key: string) =>
      change(account, EVALUATIONS, { payment_intent: paymentIntent }, key),

    findEvaluation: (account: string, id: string) => answerOf(read(account, pathOf(id))),

    /** Replaces the payment of a debt. */
    replaceWatched: (account: string, id: string, paymentIntent: string) =>
      change(account, pathOf(id), { payment_intent: paymentIntent }, `${id} ${paymentIntent}`),

    cancelEvaluation: (account: string, id: string, reason: string) =>
      change(account, `${pathOf(id)}/cancel`, { cancellation_reason: reason }, `${id} cancel`),

    /** The evaluation of an event, which has no related object. */
    findRecommended: async (account: string, eventId: string) => {
      const path = `/v2/core/events/${encodeURIComponent(eventId)}`;
      const { data } = recommended.safeParse(await orUndefined(() => read(account, path)));
      return data && { evaluationId: data.data.id, paymentIntent: data.data.payment_intent ?? undefined };
    },
  };
}

const pathOf = (id: string) => `${EVALUATIONS}/${encodeURIComponent(id)}`;

async function answerOf(call: Promise<unknown>): Promise<SignalAnswer> {
  try {
    const { data, error } = evaluation.safeParse(await call);
    if (data) return { kind: 'ok', evaluation: data };
    const problem = 'Stripe answered with something that is no evaluation.';
    throw new UpstreamError(problem, { retryable: true, cause: error });
  } catch (error) {
    const refusal = error instanceof Stripe.errors.StripeError ? readRefusal(error) : undefined;
    if (refusal === undefined) throw error;
    return refusal;
  }
}

const CODES = ['already_exists', 'cannot_proceed'] as const;

/** Classifies by type or code, regardless of status; undefined if a retry may succeed. */
function readRefusal(error: InstanceType<typeof Stripe.errors.StripeError>): SignalRefusal | undefined {
  const { statusCode, rawType, code, message } = error;
  const refused = (refusal: string, why: string) =>
    ({ kind: 'refused', reason: { code: 'signal_refused', refusal, why } }) as const;
  const named = CODES.find((one) => one === rawType || one === code);
  // `cannot_proceed` has a reason.
  if (named) return refused(named, 'reason' in error ? String(error.reason) : message);
  // A path unavailable to the account answers 404, too, but names no missing object.
  const isMissing = code === 'resource_missing' || code === 'not_found';
  if (statusCode === 404 && isMissing)
    return { kind: 'gone', reason: { code: 'signal_ended', status: 'gone' } };
  if (statusCode === 403 || statusCode === 404 || rawType === 'feature_not_enabled')
    return { kind: 'unavailable', reason: { code: 'signal_unavailable', why: message } };
  const isTooFast = error instanceof Stripe.errors.StripeRateLimitError;
  return statusCode === 400 && !isTooFast ? refused('invalid', message) : undefined;
}
