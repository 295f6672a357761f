/** The stand-alone server on loopback, what Stripe and the service post to it, and all that it answered and logged. */
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import request, { type Response } from 'supertest';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { type RunningServer, startServer } from '../../../src/plugin/app/server.ts';
import type { SettingOptions } from '../../../src/plugin/settings/schema/setting-options.ts';
import { MAIN, optionsOf } from '../database/databases.ts';
import { captureLog } from '../log-lines.ts';

export const SECRETS = {
  stripeKey: 'sk_test_very_secret_key_of_the_account',
  oldSecret: 'whsec_old_secret_of_the_endpoint',
  newSecret: 'whsec_new_secret_of_the_endpoint',
  oldToken: 'old-callback-token-0123456789',
  newToken: 'new-callback-token-0123456789',
  password: 'basic-password-0123456789',
  metrics: 'metrics-token-0123456789',
};
export const MIB = 1024 * 1024;

export const INSTRUCTION = {
  requestId: 'request_1',
  invoiceId: 'in_1',
  actionSuggestion: 'ACTION_SUGGESTION_UNSPECIFIED',
  idealRetryTime: '2026-03-03T10:00:00Z',
};

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

export interface TestServer {
  readonly server: RunningServer;
  readonly answers: readonly Response[];
  readonly logLines: readonly string[];
  /** Without a signature there is no header. */
  postWebhook(body: string, signature?: string): Promise<Response>;
  postInstruction(body: unknown, authorization?: string): Promise<Response>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Remembers an answer for the assertions at the end. */
  keep(pending: PromiseLike<Response>): Promise<Response>;
  /** How many rows of a table have this in a column. */
  count(table: string, value: string, column?: string): Promise<number>;
  stop(): Promise<void>;
}

export async function startTestServer(overrides: SettingOptions = {}): Promise<TestServer> {
  const { logger, lines } = captureLog();
  const { location, remove } = await MAIN.createMigrated();
  const server = await startServer({
    retryMode: 'advisory',
    stripeSecretKey: SECRETS.stripeKey,
    stripeWebhookSecret: `${SECRETS.newSecret},${SECRETS.oldSecret}`,
    recoveryCallbackToken: `${SECRETS.newToken},${SECRETS.oldToken}`,
    recoveryCallbackBasic: `service:${SECRETS.password}`,
    metricsToken: SECRETS.metrics,
    businessEntity: 'Acme',
    port: 0,
    servicePort: 0,
    ...optionsOf(location),
    environment: {},
    clock: createSimulatedClock(NOW),
    logger,
    ...overrides,
  });
  const answers: Response[] = [];
  const keep: TestServer['keep'] = async (pending) => {
    const response = await pending;
    answers.push(response);
    return response;
  };
  const post = (path: string) => request(server.url).post(path).set('content-type', 'application/json');
  return {
    server,
    answers,
    logLines: lines,
    keep,
    postWebhook: (body, signature) => {
      const webhook = post('/webhooks/stripe');
      return keep(
        (signature === undefined ? webhook : webhook.set('stripe-signature', signature)).send(body),
      );
    },
    postInstruction: (body, authorization = `Bearer ${SECRETS.newToken}`) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return keep(post('/recovery_action').set('authorization', authorization).send(text));
    },
    get: (path, headers = {}) => keep(request(server.url).get(path).set(headers)),
    count: async (table, value, column = 'id') => {
      const sql = `select 1 as one from payment_retry.${table} where ${column} = $1`;
      return (await server.plugin.parts.database.query(sql, [value])).length;
    },
    stop: () => server.stop().finally(remove),
  };
}

/** As Stripe signs; `age` in seconds before now. */
export function sign(payload: string, { secret = SECRETS.newSecret, age = 0 } = {}): string {
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: NOW.toSeconds() - age });
}

export function eventBody(id: string, fields: Record<string, unknown> = {}): string {
  const data = { object: { id: 'cus_1', object: 'customer' } };
  const event = { id, object: 'event', type: 'customer.created', created: NOW.toSeconds() };
  return JSON.stringify({ ...event, api_version: Stripe.API_VERSION, data, ...fields });
}
