/** A world whose plugin is a process of its own that can be killed and started again on the same data. */
import { createServer } from 'node:http';
import { DateTime, type DurationLike } from 'luxon';
import { createSimulatedClock } from '../../src/core/base/clock.ts';
import { HANDLED_EVENTS } from '../../src/plugin/operator/checks/webhook-endpoint.ts';
import {
  type CardInput,
  declinesTimes,
  type PaymentMethodBehaviour,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { type Sandbox, startSandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { type Engine, variablesOf } from '../support/database/databases.ts';
import { closeServer, listenOnLoopback } from '../support/http/loopback-server.ts';
import { type StripeGate, startStripeGate } from '../support/http/stripe-gate.ts';
import { startBalancer } from '../support/process/balancer.ts';
import { type PluginChild, startPluginChild } from '../support/process/plugin-child.ts';
import { LINK_SECRET } from '../support/world.ts';

const CALLBACK_TOKEN = 'callback-token-for-tests';
const START = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

/** An open invoice whose first charge was declined. */
export interface Renewal {
  readonly subscriptionId: string;
  readonly invoiceId: string;
}

export interface CrashSite {
  readonly sandbox: Sandbox;
  readonly gate: StripeGate;
  now(): DateTime;
  /** The running plugin. */
  readonly plugin: PluginChild;
  /** Ids of the subscriptions that the retry service was told of. */
  readonly forwarded: ReadonlySet<string>;
  /** Starts the plugin again, on what a killed one left. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** A new subscription whose renewal has just failed; the plugin was not told of the failure yet. */
  renewal(behave?: (card: CardInput) => PaymentMethodBehaviour): Promise<Renewal>;
  /** Lets both sides do all that is due. */
  settle(): Promise<void>;
  /** Moves time forward for both sides, with nothing done. */
  jump(duration: DurationLike): Promise<void>;
  /** The same in steps, each of which settles. */
  pass(duration: DurationLike, step?: DurationLike): Promise<void>;
  /** Sends an instruction as the retry service does; returns the status of the answer. */
  instruct(invoiceId: string, suggestion: string): Promise<number>;
  /** The service says that it asks for no more. */
  complete(invoiceId: string): Promise<number>;
  stop(): Promise<void>;
}

/** `always` are settings of every plugin that is started here. */
export async function createCrashSite(
  { createMigrated }: Engine,
  always: Readonly<Record<string, string>> = {},
): Promise<CrashSite> {
  const clock = createSimulatedClock(START);
  const sandbox = await startSandbox({ clock });
  const gate = await startStripeGate(sandbox.url);
  const service = await startServiceStandIn();
  const place = await createMigrated();
  // The plugin has another port after each start, and one address.
  const { url, ports, stop: stopBalancer } = await startBalancer();
  // As `connect` makes it.
  sandbox.addWebhookEndpoint(`${url}/webhooks/stripe`, HANDLED_EVENTS);
  const price = sandbox.createPrice();

  const start = async (settings: Readonly<Record<string, string>> = {}) => {
    const { location } = place;
    const common = {
      RETRY_MODE: 'advisory',
      STRIPE_SECRET_KEY: sandbox.secretKey,
      STRIPE_WEBHOOK_SECRET: sandbox.webhookSecret,
      STRIPE_API_BASE: gate.url,
      RETRY_SERVICE_URL: service.url,
      RETRY_SERVICE_API_KEY: 'service-key-for-tests',
      RECOVERY_CALLBACK_TOKEN: CALLBACK_TOKEN,
      PUBLIC_URL: url,
      LINK_SECRET,
      ...always,
    };
    child = await startPluginChild({ ...common, ...variablesOf(location), ...settings }, clock.now());
    ports.splice(0, ports.length, child.port);
  };
  let child: PluginChild | undefined;
  const plugin = (): PluginChild => {
    if (!child) throw new Error('The plugin does not run.');
    return child;
  };
  const settle = async () => {
    while ((await sandbox.run()) + (await plugin().run()) > 0);
  };
  const setClock = async (at: DateTime) => {
    await clock.set(at);
    await plugin().setClock(at);
  };
  const callBack = async (body: object) => {
    const response = await fetch(`${url}/recovery_action`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CALLBACK_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await response.body?.cancel();
    return response.status;
  };
  await start();

  return {
    sandbox,
    gate,
    now: () => clock.now(),
    get plugin() {
      return plugin();
    },
    forwarded: service.forwarded,
    start,
    renewal: async (behave = declinesOnce) => {
      // A card of its own: the networks' limits count per card.
      const paymentMethod = behave({ fingerprint: `card${sandbox.state.customers.size}` });
      const { id: customer } = sandbox.createCustomer({ email: 'jo@example.com', paymentMethod });
      const { id } = sandbox.createSubscription({ customer, items: [{ price: price.id }] });
      await settle();
      return { subscriptionId: id, invoiceId: sandbox.renewNow(id).id };
    },
    settle,
    jump: (duration) => setClock(clock.now().plus(duration)),
    pass: async (duration, step = { seconds: 30 }) => {
      const end = clock.now().plus(duration);
      for (let now = clock.now(); now < end; now = clock.now()) {
        await setClock(DateTime.min(now.plus(step), end));
        await settle();
      }
    },
    instruct: (invoiceId, actionSuggestion) =>
      callBack({
        requestId: `request for ${invoiceId}`,
        invoiceId,
        actionSuggestion,
        idealRetryTime: clock.now().toISO(),
      }),
    complete: (invoiceId) =>
      callBack({ id: `end of ${invoiceId}`, type: 'complete_dunning', created: 'now', data: { invoiceId } }),
    stop: async () => {
      await child?.stop();
      await Promise.all([sandbox.stop(), gate.stop(), service.stop(), stopBalancer()]);
      await place.remove();
    },
  };
}

const declinesOnce = (card: CardInput) => declinesTimes(1, 'insufficient_funds', {}, card);

/** Accepts every batch, as a remote retry service does, and has no instructions to list. */
async function startServiceStandIn() {
  const forwarded = new Set<string>();
  const server = createServer((req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    req.on('end', () => {
      res.setHeader('content-type', 'application/json');
      if (req.method === 'GET') {
        res.end(JSON.stringify({ recoveryActions: [], nextPageToken: '', totalSize: 0 }));
        return;
      }
      const body: { subscriptions?: { id: string }[] } = JSON.parse(text);
      for (const { id } of body.subscriptions ?? []) forwarded.add(id);
      res.end(JSON.stringify({ requestId: 'ingest-1' }));
    });
  });
  return { url: await listenOnLoopback(server), forwarded, stop: () => closeServer(server) };
}
