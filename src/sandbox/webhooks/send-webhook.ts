import http from 'node:http';
import https from 'node:https';
import Stripe from 'stripe';
import type { Clock } from '../../clock.ts';
import type { Event } from '../objects/wire.ts';

/** Posts a signed event and gives the status of the answer; 0 when there was none. Redirects are not followed. */
export type WebhookSender = (url: string, event: Event) => Promise<number>;

/** A receiver that is silent for longer has failed. Real time, since the receiver's answer takes real time. */
const ANSWER_TIMEOUT_MS = 10_000;

export interface WebhookConnections {
  send: WebhookSender;
  close(): void;
}

/** Each endpoint has a secret of its own: one for our own events, one for those of connected accounts. */
export function createWebhookSender(
  clock: Clock,
  secrets: { own: string; connect: string },
): WebhookConnections {
  const agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  };
  return {
    send: (url, event) => {
      const payload = JSON.stringify(event);
      // Signed anew for every attempt (facts 1.1).
      const timestamp = Math.floor(clock.now().toSeconds());
      const secret = event.account === undefined ? secrets.own : secrets.connect;
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
      return post(new URL(url), payload, signature, agents);
    },
    close() {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

function post(
  url: URL,
  payload: string,
  signature: string,
  agents: { 'http:': http.Agent; 'https:': https.Agent },
): Promise<number> {
  const options = {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(payload),
      'stripe-signature': signature,
      'user-agent': 'Stripe/1.0 (sandbox)',
    },
    timeout: ANSWER_TIMEOUT_MS,
  };
  return new Promise((resolve) => {
    const request =
      url.protocol === 'https:'
        ? https.request(url, { ...options, agent: agents['https:'] })
        : http.request(url, { ...options, agent: agents['http:'] });
    request.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(0));
    request.end(payload);
  });
}
