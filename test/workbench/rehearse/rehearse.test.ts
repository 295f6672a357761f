/** A rehearsal on the sandbox's test clocks, from the first customer to the end. */
import { createServer } from 'node:http';
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { identifyProcess } from '../../../src/core/database/process-identity.ts';
import { openSdk } from '../../../src/plugin/clients/stripe-client.ts';
import { type Config, loadConfig } from '../../../src/plugin/settings/config.ts';
import type { SettingOptions } from '../../../src/plugin/settings/schema/setting-options.ts';
import { THIN_TYPES } from '../../../src/plugin/sync/events/handlers.ts';
import { nameOfClock, productOf } from '../../../src/workbench/rehearse/earlier-rehearsals.ts';
import { rehearse } from '../../../src/workbench/rehearse/rehearse.ts';
import { type Sandbox, startSandbox } from '../../../src/workbench/sandbox/sandbox.ts';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';
import { IS_FULL_RUN, inFull } from '../../support/runner/full-run.ts';

const clock = createSimulatedClock(DateTime.fromISO('2026-11-02T10:00:00Z', { zone: 'utc' }));
const fullRun = IS_FULL_RUN ? test : test.skip;
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await startSandbox({ clock });
});
afterEach(() => sandbox.stop());

function configFor(port: number, more: SettingOptions = {}): Config {
  return loadConfig(
    {
      retryMode: 'advisory',
      stripeSecretKey: sandbox.secretKey,
      stripeWebhookSecret: sandbox.webhookSecret,
      stripeApiBase: sandbox.url,
      port,
      publicUrl: `http://127.0.0.1:${port}`,
      ...more,
    },
    {},
  );
}

async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listenOnLoopback(server));
  await closeServer(server);
  return Number(port);
}

/** The progress of the last play. */
const steps: string[] = [];

/** Instead of waiting, Stripe goes on. */
async function play(
  config: Config,
  signal?: AbortSignal,
  onText: (text: string) => void = () => {},
): Promise<string> {
  let text = '';
  const write = (more: string) => {
    text += more;
    onText(text);
  };
  const wait = async () => {
    await sandbox.run();
  };
  steps.length = 0;
  const onStep = (progress: string) => steps.push(progress);
  await rehearse({ config, clock, write, wait, onStep, ...(signal ? { signal } : {}) }).catch(
    (error: unknown) => {
      throw new Error(`${text}\n${String(error)}`, { cause: error });
    },
  );
  return text;
}

function expectClean(...others: string[]): void {
  const { state } = sandbox;
  expect([...state.customers.newestFirst()].map(({ id }) => id)).toEqual(others);
  expect([...state.subscriptions.newestFirst()].map(({ status }) => status)).toEqual(['canceled']);
  expect([...state.prices.newestFirst()].map(({ active }) => active)).toEqual([false]);
}

test('a rehearsal hears of the failure by webhook, retries, takes the new card, and leaves nothing', async () => {
  const port = await freePort();
  sandbox.addWebhookEndpoint(`http://127.0.0.1:${port}/webhooks/stripe`);
  const { id: other } = sandbox.createCustomer();
  const text = await play(configFor(port));
  expect(text).toMatch(/the renewal's payment fails, and the plugin hears of it by webhook/);
  expect(steps[0]).toBe('[###---------------------] step 1');
  expect(steps.at(-1)).toMatch(/^\[#{24}\] step \d+$/);
  expect(text).toMatch(/The service decides: try at 2026-12-\d\d/);
  expect(text).toMatch(/The plugin tries it: declined, generic_decline/);
  expect(text).toMatch(/The plugin paid the invoice with it by webhook/);
  expect(text).toMatch(/dashboard\.stripe\.com\/test\/invoices\/in_/);
  const statuses = [...sandbox.state.charges.newestFirst()].map(({ status }) => status).reverse();
  expect(statuses).toEqual(['succeeded', 'failed', 'failed', 'succeeded']);
  expectClean(other);
  // Stripe brings it again, to the plugin.
  const [answer] = sandbox.state.deliveries.filter(({ type }) => type === 'customer.created');
  expect(answer?.status).toBe(503);
});

test('a rehearsal hears of the failure by thin events', async () => {
  const port = await freePort();
  const stripe = openSdk({ secretKey: sandbox.secretKey, apiBase: new URL(sandbox.url) });
  const { webhook_endpoint: made } = await stripe.v2.core.eventDestinations.create({
    name: 'Thin',
    type: 'webhook_endpoint',
    event_payload: 'thin',
    enabled_events: [...THIN_TYPES],
    webhook_endpoint: { url: `http://127.0.0.1:${port}/webhooks/stripe` },
    include: ['webhook_endpoint.signing_secret'],
  });
  const stripeWebhookSecret = made?.signing_secret ?? '';
  const text = await play(configFor(port, { stripeWebhookSecret }));
  expect(text).toMatch(/the renewal's payment fails, and the plugin hears of it by webhook/);
  expect(text).toMatch(/The plugin paid the invoice with it by webhook/);
  expectClean();
});

fullRun('a rehearsal beside a running plugin reads the events from Stripe', async () => {
  const server = createServer();
  const { port } = new URL(await listenOnLoopback(server));
  const text = await play(configFor(Number(port)));
  await closeServer(server);
  expect(text).toMatch(/Port \d+ is taken/);
  expect(text).toMatch(/hears of it from Stripe's list of events/);
  expectClean();
});

test('a live key is refused before anything is made', async () => {
  const config = configFor(0, { stripeSecretKey: 'sk_live_visibly_fake' });
  await expect(play(config)).rejects.toThrow(/sk_live_… is not a test key/);
  expect(sandbox.state.apiCalls).toEqual([]);
});

fullRun('a rehearsal that fails in the middle leaves nothing either', async () => {
  sandbox.faults.next('POST', /\/advance$/, 'state_conflict');
  await expect(play(configFor(await freePort()))).rejects.toThrow(/state does not allow/);
  expectClean();
});

/** The others are for the full run. */
const MIDDLE = 1;
const ENDS = [
  ['at the first step', 'Port|Webhooks are expected'],
  ['while an attempt is planned', 'The service decides'],
  ['after the other card', 'brings another card'],
] as const;

test.each(IS_FULL_RUN ? ENDS : ENDS.slice(MIDDLE, MIDDLE + 1))(
  'a rehearsal that a person ends %s leaves nothing',
  async (_when, words) => {
    const controller = new AbortController();
    const ends = (text: string) => new RegExp(words).test(text) && controller.abort();
    await expect(play(configFor(await freePort()), controller.signal, ends)).rejects.toThrow(/abort/i);
    expectClean();
    expect([...sandbox.state.testClocks.newestFirst()]).toEqual([]);
  },
);

inFull(
  'a rehearsal removes what an earlier one left that was killed, and not one that runs or was kept',
  async () => {
    const stripe = openSdk(configFor(0).stripe);
    const create = (name: string) =>
      stripe.testHelpers.testClocks.create({ frozen_time: Math.floor(clock.now().toSeconds()), name });
    const kept = await create(nameOfClock(true));
    const running = await create(nameOfClock(false));
    // No process has that number.
    const killed = JSON.stringify({ ...identifyProcess(), pid: 4_194_305 });
    const left = await create(`Payment Retry rehearsal ${killed}`);
    // It was killed before it made the subscription.
    await stripe.prices.create({
      currency: 'usd',
      unit_amount: 2000,
      recurring: { interval: 'month' },
      product_data: { id: productOf(left.id), name: 'Rehearsal of Payment Retry' },
    });
    expect(await play(configFor(await freePort()))).toContain(`Removed: the test clock ${left.id}, which`);
    expect([...sandbox.state.testClocks.newestFirst()].map(({ id }) => id).sort()).toEqual(
      [kept.id, running.id].sort(),
    );
    expect([...sandbox.state.prices.newestFirst()].map(({ active }) => active)).toEqual([false, false]);
  },
);
