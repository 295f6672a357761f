import { createServer, type Server } from 'node:http';
import type { RequestHandler } from 'express';
import type { DateTime } from 'luxon';
import { type Clock, fromUnixSeconds } from '../../core/base/clock.ts';
import { addressOf, listen } from '../../core/web/http-server.ts';
import type { FaultPlan } from './api/api-faults.ts';
import { type ApiCallRecord, createApiServer } from './api/api-server.ts';
import { CHARGE_ROUTES } from './api/charge-routes.ts';
import { CUSTOMER_ROUTES } from './api/customer-routes.ts';
import { EVENT_DESTINATION_ROUTES } from './api/event-destination-routes.ts';
import { addWebhookEndpoint, eventRoutes } from './api/event-routes.ts';
import { INVOICE_ITEM_ROUTES } from './api/invoice-item-routes.ts';
import { INVOICE_ROUTES } from './api/invoice-routes.ts';
import { PAYMENT_METHOD_ROUTES } from './api/payment-method-routes.ts';
import { PORTAL_ROUTES } from './api/portal-routes.ts';
import { PRICE_ROUTES } from './api/price-routes.ts';
import { SIGNAL_ROUTES } from './api/signal-routes.ts';
import { SUBSCRIPTION_ROUTES } from './api/subscription-routes.ts';
import { TEST_CLOCK_ROUTES } from './api/test-clock-routes.ts';
import {
  type AccountParts,
  type ConnectedAccount,
  type ConnectOptions,
  createConnect,
  openAccount,
} from './connect.ts';
import { hostedPages } from './hosted/hosted-pages.ts';
import type { WebhookEndpoint } from './objects/wire.ts';
import { type Arrangements, arrangements } from './sandbox-arrangements.ts';
import { BY_ITSELF, createWorld, type World, type WorldState } from './sandbox-world.ts';
import { createWebhookSender } from './webhooks/send-webhook.ts';
import type { DeliveryRecord, WebhookFaults } from './webhooks/webhook-deliveries.ts';

export interface SandboxOptions extends ConnectOptions {
  clock: Clock;
  seed?: number;
  /** 0 takes a free port. */
  port?: number;
  /** Answers addresses that are not Stripe's. */
  pages?: RequestHandler;
}

/** What assertions may look at. */
export type SandboxState = WorldState & {
  readonly apiCalls: readonly ApiCallRecord[];
  readonly deliveries: readonly DeliveryRecord[];
};

/** A Stripe account simulated over HTTP. Only `clock` moves it: nothing happens until `run` is called. */
export interface Sandbox extends Arrangements {
  /** Takes the place of `https://api.stripe.com`. */
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly faults: FaultPlan;
  readonly webhookFaults: WebhookFaults;
  readonly state: SandboxState;
  /** Does everything due by now, deliveries included; gives how many things were done. */
  run(options?: { concurrency?: number }): Promise<number>;
  /** The earliest thing still to come, which can be in the past when `run` was not called since. */
  nextDueAt(): DateTime | undefined;
  /** An endpoint for these types of events; for all of them when none are named. */
  addWebhookEndpoint(url: string, types?: readonly string[]): WebhookEndpoint;
  /** Signs what goes to the Connect endpoints. */
  readonly connectWebhookSecret: string;
  /** An endpoint for the events of connected accounts. */
  addConnectEndpoint(url: string): WebhookEndpoint;
  /** Another merchant, behind the same server and key, who gave us access. */
  connectAccount(options?: ConnectOptions): ConnectedAccount;
  /** Delivers due webhooks; returns the number of requests made. */
  deliverWebhooks(options?: { concurrency?: number }): Promise<number>;
  stop(): Promise<void>;
}

const SECRET_KEY = 'rk_test_sandbox_not_a_real_key';
const SECRETS = {
  own: 'whsec_sandbox_not_a_real_secret',
  connect: 'whsec_sandbox_connect_not_a_real_secret',
};

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock, seed = 1, port = 0, accountName = 'Sandbox Inc.', rateLimits, pages, ...policy } = options;
  const world = createWorld(clock, seed, accountName, policy);
  const connections = createWebhookSender(clock);
  const shared = { secretKey: SECRET_KEY, send: connections.send, secrets: SECRETS };
  const account = openAccount(world, shared, rateLimits);
  const { faults, deliveries } = account;
  const connect = createConnect(account.side, seed, shared);
  const apiCalls: ApiCallRecord[] = [];
  const app = createApiServer(connect.sideOf, ROUTES, apiCalls, clock);
  app.use(hostedPages(world, connect.worlds), ...(pages ? [pages] : []));
  const server = createServer(app);
  // As Stripe, it does not end a connection that is about to be used again.
  server.keepAliveTimeout = 0;
  const place = { host: '127.0.0.1', port };
  await listen(server, place);
  world.baseUrl = addressOf(server, place);
  return {
    ...arrangements(world),
    url: world.baseUrl,
    secretKey: SECRET_KEY,
    webhookSecret: SECRETS.own,
    connectWebhookSecret: SECRETS.connect,
    faults,
    webhookFaults: deliveries.faults,
    state: { ...world, apiCalls, deliveries: deliveries.log },
    run: ({ concurrency = 1 } = {}) => run([account, ...connect.parts()], concurrency),
    nextDueAt: () => nextDueAt([account, ...connect.parts()]),
    addWebhookEndpoint: (url, types = ['*']) =>
      addWebhookEndpoint(world, { url, enabled_events: [...types] }),
    addConnectEndpoint: (url) => addWebhookEndpoint(world, { url, enabled_events: ['*'], connect: true }),
    connectAccount: connect.connectAccount,
    deliverWebhooks: ({ concurrency = 1 } = {}) => deliveries.deliver(concurrency),
    stop: () => {
      faults.clear();
      connect.stop();
      connections.close();
      return close(server);
    },
  };
}

const ROUTES = [
  ...CUSTOMER_ROUTES,
  ...PAYMENT_METHOD_ROUTES,
  ...PRICE_ROUTES,
  ...SUBSCRIPTION_ROUTES,
  ...INVOICE_ROUTES,
  ...CHARGE_ROUTES,
  ...INVOICE_ITEM_ROUTES,
  ...PORTAL_ROUTES,
  ...TEST_CLOCK_ROUTES,
  ...eventRoutes(SECRETS),
  ...EVENT_DESTINATION_ROUTES,
  ...SIGNAL_ROUTES,
];

async function run(parts: readonly AccountParts[], concurrency: number): Promise<number> {
  let done = 0;
  for (const { world } of parts) {
    for (let task = takeDue(world); task !== undefined; task = takeDue(world)) {
      world.cause = BY_ITSELF;
      task.run();
      done += 1;
    }
  }
  for (const { deliveries } of parts) done += await deliveries.deliver(concurrency);
  return done;
}

function takeDue(world: World) {
  return world.due.takeDue(world.clock.now().toMillis());
}

function nextDueAt(parts: readonly AccountParts[]): DateTime | undefined {
  const times = parts
    .flatMap(({ world, deliveries }) => [world.due.nextAtMs(), deliveries.nextAtMs()])
    .filter((time) => time !== undefined);
  return times.length === 0 ? undefined : fromUnixSeconds(Math.min(...times) / 1000);
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
