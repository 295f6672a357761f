/**
 * Smart Retries Signal, from the shapes in Stripe's libraries and its page (stripe-facts 4.6). What neither says is a guess, marked there.
 * A person plays the model: `recommendRetry` of the arrangements.
 */
import { z } from 'zod';
import { ApiError, resourceMissing, retrieve, unexecuted } from '../api-error.ts';
import { NEVER_RETRIED } from '../billing/stripe-retries.ts';
import { none, text } from '../form-parameters.ts';
import type { RetryEvaluation } from '../objects/wire.ts';
import { publishNative } from '../publish-event.ts';
import type { World } from '../sandbox-world.ts';
import { type Route, route } from './route.ts';

const EVALUATIONS = '/v2/signals/payment_retry_evaluations';
/** The routes of the preview are there in its version alone. */
const VERSION = '2026-08-26.preview';

const payment = z.strictObject({ payment_intent: z.string() });

export const SIGNAL_ROUTES: readonly Route[] = [
  route('post', EVALUATIONS, payment, (world, _id, { payment_intent: intent }) => {
    assertOpen(world);
    assertWatchable(world, intent);
    return world.retryEvaluations.add({
      id: world.ids.next('pre'),
      object: 'v2.signals.payment_retry_evaluation',
      created: world.clock.now().toISO(),
      livemode: false,
      payment_intent: intent,
      status: 'monitoring',
      latest_signal: null,
    });
  }),
  route('get', `${EVALUATIONS}/:id`, none, (world, id) => getEvaluation(world, id)),
  route('post', `${EVALUATIONS}/:id`, payment, (world, id, { payment_intent: intent }) => {
    const evaluation = getWatching(world, id);
    assertWatchable(world, intent);
    return Object.assign(evaluation, { payment_intent: intent });
  }),
  route(
    'post',
    `${EVALUATIONS}/:id/cancel`,
    z.strictObject({ cancellation_reason: text }),
    (world, id, { cancellation_reason: reason }) =>
      Object.assign(getWatching(world, id), {
        status: 'canceled',
        canceled_at: world.clock.now().toISO(),
        ...(reason === undefined ? {} : { cancellation_reason: reason }),
      }),
  ),
  route('get', '/v2/signals/payment_retry_signals/:id', none, (world, id) => {
    assertOpen(world);
    const found = [...world.retryEvaluations.newestFirst()].find((one) => one.latest_signal?.id === id);
    if (!found?.latest_signal) throw resourceMissing('payment retry signal', id);
    return found.latest_signal;
  }),
].map((one) => ({ ...one, version: VERSION }));

/** Records the model's recommendation for a payment; Stripe reports a good moment in a thin event. */
export function recommend(
  world: World,
  intent: string,
  { action, reason }: { action: string; reason: string },
): RetryEvaluation {
  const evaluation = findWatching(world, intent);
  if (evaluation === undefined) throw new Error(`Nobody asked for signals about ${intent}`);
  evaluation.latest_signal = {
    id: world.ids.next('prs'),
    object: 'v2.signals.payment_retry_signal',
    created: world.clock.now().toISO(),
    evaluation: evaluation.id,
    livemode: false,
    payment_intent: intent,
    recommendation: { action, reason },
  };
  if (action === 'retry_now') {
    const { id, livemode } = evaluation;
    const signal = { object: evaluation.object, id, livemode, payment_intent: intent };
    publishNative(world, 'v2.signals.payment_retry_evaluations.retry_recommended', signal);
  }
  return evaluation;
}

/** The preview is private. */
function assertOpen(world: World): void {
  if (world.policy.retrySignal) return;
  const message = 'Your account does not have access to Smart Retries Signal.';
  throw unexecuted(403, { type: 'feature_not_enabled', message });
}

function assertWatchable(world: World, id: string): void {
  const intent = retrieve(world.paymentIntents, 'payment_intent', id);
  if (findWatching(world, id) !== undefined) throw refusal('already_exists', 'An evaluation exists already.');
  const charge = world.charges.get(intent.latest_charge ?? '');
  if (charge?.status !== 'failed' || intent.status === 'succeeded')
    throw refusal('cannot_proceed', 'The payment has not failed.', 'payment_not_failed');
  if (charge.payment_method_details?.type !== 'card')
    throw refusal('cannot_proceed', 'Only card payments are evaluated.', 'payment_method_not_supported');
  if (NEVER_RETRIED.has(charge.outcome?.reason ?? ''))
    throw refusal('cannot_proceed', 'The issuer declined the card for good.', 'hard_decline');
}

function refusal(type: 'already_exists' | 'cannot_proceed', message: string, reason?: string): ApiError {
  return new ApiError(
    400,
    { type, message, ...(reason === undefined ? {} : { reason }) },
    { isStored: true },
  );
}

function findWatching(world: World, intent: string): RetryEvaluation | undefined {
  const all = [...world.retryEvaluations.newestFirst()];
  return all.find((one) => one.payment_intent === intent && current(world, one).status === 'monitoring');
}

function getEvaluation(world: World, id: string): RetryEvaluation {
  assertOpen(world);
  return current(world, retrieve(world.retryEvaluations, 'payment retry evaluation', id));
}

function getWatching(world: World, id: string): RetryEvaluation {
  const evaluation = getEvaluation(world, id);
  if (evaluation.status === 'monitoring') return evaluation;
  throw refusal('cannot_proceed', `The evaluation is ${evaluation.status}.`, 'evaluation_not_active');
}

/** A payment that succeeded completes it. */
function current(world: World, evaluation: RetryEvaluation): RetryEvaluation {
  const intent = world.paymentIntents.get(evaluation.payment_intent);
  if (evaluation.status === 'monitoring' && intent?.status === 'succeeded') evaluation.status = 'completed';
  return evaluation;
}
