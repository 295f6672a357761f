import http from 'node:http';
import https from 'node:https';
import Stripe from 'stripe';
import type { Clock } from '../../../core/base/clock.ts';
import { showFirstItems } from '../objects/first-items.ts';
import type { EventTarget } from './event-targets.ts';

/** Posts a signed event and gives the status of the answer; 0 when there was none. Redirects are not followed. */
export type WebhookSender = (target: EventTarget) => Promise<number>;

/**
 * A receiver that is silent for longer has failed. Real time, since the receiver's answer takes real time; long enough for a
 * busy machine.
 */
const ANSWER_TIMEOUT_MS = 120_000;

export function createWebhookSender(clock: Clock) {
  const agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  };
  return {
    send: async ({ url, body, secret }: EventTarget): Promise<number> => {
      const payload = JSON.stringify(body, showFirstItems);
      // A new signature for every attempt (stripe-facts 1.1).
      const timestamp = Math.floor(clock.now().toSeconds());
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
      const target = new URL(url);
      const [client, agent] =
        target.protocol === 'https:' ? [https, agents['https:']] : [http, agents['http:']];
      const options = { method: 'POST', headers: headersOf(payload, signature) };
      const ask = (through: http.Agent | false) =>
        post(() => client.request(target, { ...options, agent: through }), payload);
      const answer = await ask(agent);
      return statusOf(answer === 'stale' ? await ask(false) : answer);
    },
    close() {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

function headersOf(payload: string, signature: string): http.OutgoingHttpHeaders {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(payload),
    'stripe-signature': signature,
    'user-agent': 'Stripe/1.0 (sandbox)',
  };
}

/** `stale`: the connection had been kept, and the receiver ended it just as it was used again. */
type Answer = number | 'none' | 'stale';

const statusOf = (answer: Answer): number => (typeof answer === 'number' ? answer : 0);

function post(begin: () => http.ClientRequest, payload: string): Promise<Answer> {
  return new Promise((resolve) => {
    const request = begin();
    let isLate = false;
    request.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve('none'));
    });
    request.setTimeout(ANSWER_TIMEOUT_MS, () => {
      isLate = true;
      request.destroy();
    });
    request.on('error', () => resolve(request.reusedSocket && !isLate ? 'stale' : 'none'));
    request.end(payload);
  });
}
