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
import { type Finding, type FindingCode, finding } from './finding.ts';
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
  const { status, text } = answer;
  if (status !== 200) {
    const prefix = '; PUBLIC_URL ends with the prefix under which an application mounts the router';
    const why = `${url.href} answered ${status}: ${text}${status === 404 ? prefix : ''}`;
    return [finding('public_address', 'problem', why)];
  }
  const local = describeLocalAddress(config);
  return [finding('public_address', local === undefined ? 'ok' : 'warning', local ?? config.publicUrl.href)];
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
  const headers = sign(payload, stripe.webhookSecrets[0], clock);
  const answer = await post(publicAddress(publicUrl, 'webhooks/stripe'), headers, payload);
  return judge('webhook_round_trip', answer, ({ status }) => status === 200);
}

/** Sends a valid token with an empty instruction: a receiver that knows the token answers 400. */
async function callBack({ publicUrl, callback }: Config): Promise<Finding> {
  if (isWithoutCallback(callback)) return finding('callback_round_trip', 'ok', 'not used');
  const { tokens, basic } = callback;
  const authorization = basic ? `Basic ${Buffer.from(basic).toString('base64')}` : `Bearer ${tokens[0]}`;
  const answer = await post(publicAddress(publicUrl, 'recovery_action'), { authorization }, '{}');
  return judge('callback_round_trip', answer, ({ status }) => status === 400);
}

/** A signed request that asks for nothing: only who knows the secret goes on to say that it does not fit. */
export async function checkApp(
  { publicUrl, stripeAppSecrets: [secret] = [] }: Pick<Config, 'publicUrl' | 'stripeAppSecrets'>,
  clock: Clock,
): Promise<Finding> {
  const payload = '{}';
  const body = JSON.stringify({ signed: payload, parameters: payload });
  const answer = await post(publicAddress(publicUrl, 'app/request'), sign(payload, secret, clock), body);
  return judge(
    'app_round_trip',
    answer,
    ({ status, text }) => status === 400 && text.includes('"REQUEST_INVALID"'),
  );
}

function sign(payload: string, secret: string | undefined, clock: Clock) {
  const timestamp = Math.floor(clock.now().toSeconds());
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: secret ?? '', timestamp });
  return { 'stripe-signature': signature };
}

const post = (url: URL, headers: OutgoingRequest['headers'], body: string) =>
  ask(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

function judge(
  code: FindingCode,
  answer: Answer,
  isRight: (answer: { readonly status: number; readonly text: string }) => boolean,
): Finding {
  if ('error' in answer) return finding(code, 'problem', answer.error);
  if (isRight(answer)) return finding(code, 'ok');
  return finding(code, 'problem', `answered ${answer.status}: ${answer.text}`);
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
