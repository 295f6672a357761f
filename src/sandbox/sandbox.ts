import { createServer, type Server } from 'node:http';
import type { DateTime } from 'luxon';
import { type Clock, fromUnixSeconds } from '../clock.ts';
import { createFaultPlan, type FaultPlan } from './api/api-faults.ts';
import { type ApiCallRecord, createApiServer } from './api/api-server.ts';
import { CUSTOMER_ROUTES } from './api/customer-routes.ts';
import { addWebhookEndpoint, eventRoutes } from './api/event-routes.ts';
import { createIdempotencyStore } from './api/idempotency-store.ts';
import { INVOICE_ROUTES } from './api/invoice-routes.ts';
import { PAYMENT_METHOD_ROUTES } from './api/payment-method-routes.ts';
import { PORTAL_ROUTES } from './api/portal-routes.ts';
import { PRICE_ROUTES } from './api/price-routes.ts';
import { SUBSCRIPTION_ROUTES } from './api/subscription-routes.ts';
import { hostedInvoicePages } from './hosted-invoice-page.ts';
import type { WebhookEndpoint } from './objects/wire.ts';
import { portalPages } from './portal-page.ts';
import { type Arrangements, arrangements } from './sandbox-arrangements.ts';
import { BY_ITSELF, createWorld, type StripePolicy, type World } from './sandbox-world.ts';
import { createWebhookSender } from './webhooks/send-webhook.ts';
import {
  createWebhookDeliveries,
  type DeliveryRecord,
  type WebhookDeliveries,
  type WebhookFaults,
} from './webhooks/webhook-deliveries.ts';

export interface SandboxOptions {
  clock: Clock;
  seed?: number;
  /** 0 takes a free port. */
  port?: number;
  /** Stripe's own automatic retries. */
  stripeRetries?: StripePolicy['stripeRetries'];
  /** What Stripe does to the subscription after the last of them. */
  afterLastRetry?: StripePolicy['afterLastRetry'];
  accountName?: string;
}

/** What assertions may look at. */
export type SandboxState = Pick<
  World,
  | 'account'
  | 'customers'
  | 'paymentMethods'
  | 'prices'
  | 'subscriptions'
  | 'invoices'
  | 'invoicePayments'
  | 'paymentIntents'
  | 'charges'
  | 'disputes'
  | 'events'
  | 'webhookEndpoints'
> & { readonly apiCalls: readonly ApiCallRecord[]; readonly deliveries: readonly DeliveryRecord[] };

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
  /** Delivers what is due now; gives the number of requests made. */
  deliverWebhooks(options?: { concurrency?: number }): Promise<number>;
  stop(): Promise<void>;
}

const SECRET_KEY = 'sk_test_sandbox_not_a_real_key';
const WEBHOOK_SECRET = 'whsec_sandbox_not_a_real_secret';

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock, seed = 1, port = 0, accountName = 'Sandbox Inc.' } = options;
  const { stripeRetries = 'off', afterLastRetry = 'past_due' } = options;
  const world = createWorld(clock, seed, accountName, { stripeRetries, afterLastRetry });
  const faults = createFaultPlan();
  const connections = createWebhookSender(clock, WEBHOOK_SECRET);
  const deliveries = createWebhookDeliveries(world, connections.send);
  const apiCalls: ApiCallRecord[] = [];
  const idempotency = createIdempotencyStore(clock);
  const side = { world, secretKey: SECRET_KEY, faults, idempotency, locks: new Set<string>() };
  const app = createApiServer(side, ROUTES, apiCalls);
  app.use(portalPages(world));
  app.use(hostedInvoicePages(world));
  const server = await listen(createServer(app), port);
  world.baseUrl = addressOf(server);
  return {
    ...arrangements(world),
    url: world.baseUrl,
    secretKey: SECRET_KEY,
    webhookSecret: WEBHOOK_SECRET,
    faults,
    webhookFaults: deliveries.faults,
    state: { ...world, apiCalls, deliveries: deliveries.log },
    run: ({ concurrency = 1 } = {}) => run(world, deliveries, concurrency),
    nextDueAt: () => nextDueAt(world, deliveries),
    addWebhookEndpoint: (url, types = ['*']) =>
      addWebhookEndpoint(world, { url, enabled_events: [...types] }),
    deliverWebhooks: ({ concurrency = 1 } = {}) => deliveries.deliver(concurrency),
    stop: () => {
      faults.clear();
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
  ...PORTAL_ROUTES,
  ...eventRoutes(WEBHOOK_SECRET),
];

async function run(world: World, deliveries: WebhookDeliveries, concurrency: number): Promise<number> {
  let done = 0;
  for (let task = takeDue(world); task !== undefined; task = takeDue(world)) {
    world.cause = BY_ITSELF;
    task.run();
    done += 1;
  }
  return done + (await deliveries.deliver(concurrency));
}

function takeDue(world: World) {
  return world.due.takeDue(world.clock.now().toMillis());
}

function nextDueAt(world: World, deliveries: WebhookDeliveries): DateTime | undefined {
  const times = [world.due.nextAtMs(), deliveries.nextAtMs()].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : fromUnixSeconds(Math.min(...times) / 1000);
}

function listen(server: Server, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The sandbox has no port');
  return `http://127.0.0.1:${address.port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
