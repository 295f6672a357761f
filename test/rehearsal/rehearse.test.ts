/** A rehearsal on the sandbox's test clocks, from the first customer to the end. */
import { createServer } from 'node:http';
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../src/clock.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { rehearse } from '../../src/rehearsal/rehearse.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/stripe/sandbox.ts';
import { IS_FULL_RUN } from '../support/full-run.ts';
import { closeServer, listenOnLoopback } from '../support/loopback-server.ts';

const clock = createSimulatedClock(DateTime.fromISO('2026-11-02T10:00:00Z', { zone: 'utc' }));
const fullRun = IS_FULL_RUN ? test : test.skip;
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await startSandbox({ clock });
});
afterEach(() => sandbox.stop());

function configFor(port: number, stripeSecretKey = sandbox.secretKey): Config {
  return loadConfig(
    {
      stripeSecretKey,
      stripeWebhookSecret: sandbox.webhookSecret,
      stripeApiBase: sandbox.url,
      port,
      publicUrl: `http://127.0.0.1:${port}`,
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

/** Instead of waiting, Stripe goes on. */
async function play(config: Config): Promise<string> {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const wait = async () => {
    await sandbox.run();
  };
  await rehearse({ config, clock, write, wait }).catch((error: unknown) => {
    throw new Error(`${text}\n${String(error)}`, { cause: error });
  });
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
  const config = configFor(0, 'sk_live_visibly_fake');
  await expect(play(config)).rejects.toThrow(/sk_live_… is not a test key/);
  expect(sandbox.state.apiCalls).toEqual([]);
});

fullRun('a rehearsal that fails in the middle leaves nothing either', async () => {
  sandbox.faults.next('POST', /\/advance$/, 'state_conflict');
  await expect(play(configFor(await freePort()))).rejects.toThrow(/state does not allow/);
  expectClean();
});
