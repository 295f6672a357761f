/** Whether the running plugin answers at its public address: to Stripe's webhooks and to the service's callbacks. */
import Stripe from 'stripe';
import type { Clock } from '../../../core/base/clock.ts';
import { messageWithCause } from '../../../core/base/errors.ts';
import { answerText } from '../../../core/base/printable-text.ts';
import { askWithin } from '../../../core/web/bounded-answer.ts';
import { type OutgoingRequest, ownFetch } from '../../../core/web/in-process-fetch.ts';
import type { Config } from '../../settings/config.ts';
import { publicAddress } from '../../settings/own-paths.ts';
import { isWithoutCallback } from '../../settings/service-settings.ts';
import { TEST_EVENT_TYPE } from '../../store/reports/last-received.ts';
import { type Finding, finding } from './finding.ts';
import { describeLocalAddress } from './local-address.ts';

const TIMEOUT_MS = 10_000;

export async function checkAddress(config: Config, clock: Clock): Promise<Finding[]> {
  const ready = await checkReady(config);
  if (ready.some(({ state }) => state === 'problem')) return ready;
  const isRemote = config.service.kind === 'remote';
  // The embedded service is called by the plugin, and calls back, on the same machine.
  return [
    ...ready,
    await sendEvent(config, clock),
    ...(isRemote ? [await callBack(config)] : []),
    ...(config.stripeAppSecrets ? [await checkApp(config, clock)] : []),
  ];
}

async function checkReady(config: Config): Promise<Finding[]> {
  const url = publicAddress(config.publicUrl, 'readyz');
  const answer = await ask(url, {});
  if ('error' in answer) return [finding('public_address', 'problem', `${url.href}: ${answer.error}`)];
  if (answer.status !== 200) {
    const help =
      answer.status === 404
        ? `; PUBLIC_URL ends with the prefix under which an application mounts the router`
        : '';
    return [
      finding('public_address', 'problem', `${url.href} answered ${answer.status}: ${answer.text}${help}`),
    ];
  }
  const local = describeLocalAddress(config);
  return [
    local === undefined
      ? finding('public_address', 'ok', config.publicUrl.href)
      : finding('public_address', 'warning', local),
  ];
}

/** One of no use, with our signature: one a day is recorded, and its repetitions are known. */
async function sendEvent({ publicUrl, stripe, livemode = false }: Config, clock: Clock): Promise<Finding> {
  const now = clock.now();
  const payload = JSON.stringify({
    id: `evt_doctor_${now.toFormat('yyyyMMdd')}`,
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: Math.floor(now.toSeconds()),
    data: { object: { id: 'doctor', object: 'payment_retry.doctor' } },
    livemode,
    pending_webhooks: 0,
    request: { id: null, idempotency_key: null },
    type: TEST_EVENT_TYPE,
  });
  const secret = stripe.webhookSecrets[0] ?? '';
  const timestamp = Math.floor(now.toSeconds());
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const answer = await ask(publicAddress(publicUrl, 'webhooks/stripe'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body: payload,
  });
  if ('error' in answer) return finding('webhook_round_trip', 'problem', answer.error);
  if (answer.status === 200) return finding('webhook_round_trip', 'ok');
  return finding('webhook_round_trip', 'problem', `answered ${answer.status}: ${answer.text}`);
}

/** Sends a valid token with an empty instruction: a receiver that knows the token answers 400. */
async function callBack({ publicUrl, callback }: Config): Promise<Finding> {
  if (isWithoutCallback(callback)) return finding('callback_round_trip', 'ok', 'not used');
  const { tokens, basic } = callback;
  const authorization = basic ? `Basic ${Buffer.from(basic).toString('base64')}` : `Bearer ${tokens[0]}`;
  const answer = await ask(publicAddress(publicUrl, 'recovery_action'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: '{}',
  });
  if ('error' in answer) return finding('callback_round_trip', 'problem', answer.error);
  if (answer.status === 400) return finding('callback_round_trip', 'ok');
  return finding('callback_round_trip', 'problem', `answered ${answer.status}: ${answer.text}`);
}

/** A signed request that asks for nothing: only who knows the secret goes on to say that it does not fit. */
export async function checkApp(
  { publicUrl, stripeAppSecrets: [secret = ''] = [] }: Pick<Config, 'publicUrl' | 'stripeAppSecrets'>,
  clock: Clock,
): Promise<Finding> {
  const payload = '{}';
  const timestamp = Math.floor(clock.now().toSeconds());
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const answer = await ask(publicAddress(publicUrl, 'app/request'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body: JSON.stringify({ signed: payload, parameters: payload }),
  });
  if ('error' in answer) return finding('app_round_trip', 'problem', answer.error);
  if (answer.status === 400 && answer.text.includes('"REQUEST_INVALID"'))
    return finding('app_round_trip', 'ok');
  return finding('app_round_trip', 'problem', `answered ${answer.status}: ${answer.text}`);
}

type Answer = { status: number; text: string } | { error: string };
const SHOWN_BYTES = 300;

async function ask(url: URL, request: Partial<OutgoingRequest>): Promise<Answer> {
  try {
    const asked = { method: 'GET', headers: {}, ...request, redirect: 'manual' } as const;
    const bounds = { withinMs: TIMEOUT_MS, mostBytes: SHOWN_BYTES };
    const { status, text } = await askWithin(ownFetch, url, asked, bounds);
    return { status, text: answerText(text) };
  } catch (error) {
    return { error: messageWithCause(error) };
  }
}
