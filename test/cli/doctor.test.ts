/** `doctor` beside a running plugin, on the sandbox: without a finding, and with each thing broken once. */
import Stripe from 'stripe';
import { runDoctor } from '../../src/cli/doctor-command.ts';
import { createSimulatedClock, systemClock } from '../../src/clock.ts';
import { silentLogger } from '../../src/logger.ts';
import { type RunningServer, startServer } from '../../src/plugin/server.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/stripe/sandbox.ts';
import { HANDLED_EVENTS } from '../../src/setup/webhook-endpoint.ts';
import { MAIN, optionsOf } from '../support/databases.ts';
import { type MailCatcher, startMailCatcher } from '../support/mail-catcher.ts';

const CALLBACK_TOKEN = 'callback-token-of-the-doctor-0123';
const SERVICE_KEY = 'service-key-of-the-doctor-0123456';
const environment = { ...process.env };
let sandbox: Sandbox;
let server: RunningServer;
let mail: MailCatcher;
let remove: () => Promise<void>;
let settings: Record<string, string>;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: createSimulatedClock(systemClock.now()) });
  mail = await startMailCatcher();
  const database = await MAIN.createMigrated();
  remove = database.remove;
  settings = {
    STRIPE_SECRET_KEY: sandbox.secretKey,
    STRIPE_WEBHOOK_SECRET: sandbox.webhookSecret,
    STRIPE_API_BASE: sandbox.url,
    SMTP_URL: mail.url,
    EMAIL_FROM: 'billing@shop.example',
    RECOVERY_CALLBACK_TOKEN: CALLBACK_TOKEN,
    LINK_SECRET: 'a-link-secret-for-tests-only-0123456789',
  };
  server = await startServer({
    environment: settings,
    ...optionsOf(database.location),
    port: 0,
    servicePort: 0,
    logger: silentLogger,
  });
  settings.PUBLIC_URL = server.url;
});
afterAll(async () => {
  await server.stop();
  await Promise.all([sandbox.stop(), mail.stop()]);
  await remove();
});
beforeEach(() => {
  const { webhookEndpoints } = sandbox.state;
  for (const { id } of [...webhookEndpoints.newestFirst()]) webhookEndpoints.remove(id);
  const made = sandbox.addWebhookEndpoint(`${server.url}/webhooks/stripe`, HANDLED_EVENTS);
  Object.assign(made, { api_version: Stripe.API_VERSION });
});
afterEach(() => {
  process.env = { ...environment };
  sandbox.faults.clear();
});

/** No name outside this machine is looked up. */
const resolve = async (name: string) => [[name.startsWith('_dmarc') ? 'v=DMARC1; p=none' : 'v=spf1 -all']];

async function examine(more: Record<string, string> = {}) {
  process.env = { ...environment, ...settings, ...more };
  let text = '';
  const code = await runDoctor({ json: true }, (part) => (text += part), resolve);
  const { findings } = JSON.parse(text) as { findings: { code: string; state: string; detail: string }[] };
  const found = findings.filter(({ state }) => state !== 'ok' && state !== 'look');
  return { code, findings, found };
}

test('a whole installation has no finding', async () => {
  const { code, findings, found } = await examine();
  expect(found).toEqual([]);
  expect(code).toBe(0);
  // The embedded service does not call back through PUBLIC_URL.
  expect(findings.map(({ code: name }) => name)).not.toContain('callback_round_trip');
  expect(findings.map(({ code: name }) => name)).toEqual(
    expect.arrayContaining(['webhook_round_trip', 'queues', 'mail_server', 'portal']),
  );
});

test.each([
  ['GET', '/v1/charges', 'Charges (read)'],
  ['POST', /\/v1\/invoices\/.*\/pay/, 'Invoices (write)'],
] as const)('a key that may not %s %s lacks a permission by name', async (method, path, name) => {
  sandbox.faults.next(method, path, 'permission_denied');
  expect(await examine()).toMatchObject({
    code: 1,
    found: [{ code: 'stripe_permission', state: 'problem', detail: name }],
  });
});

test('asking for permissions changes nothing at Stripe', async () => {
  const count = sandbox.state.events.size;
  await examine();
  expect(sandbox.state.events.size).toBe(count);
});

test.each([
  ['a key that Stripe refuses', { STRIPE_SECRET_KEY: 'sk_test_another' }, 'stripe_key'],
  ['another webhook secret', { STRIPE_WEBHOOK_SECRET: 'whsec_another' }, 'webhook_round_trip'],
  ['an address where nobody answers', { PUBLIC_URL: 'http://127.0.0.1:1' }, 'public_address'],
  ['a mail server that is away', { SMTP_URL: 'smtp://127.0.0.1:1' }, 'mail_server'],
])('%s is named', async (_name, more, code) => {
  const { code: exit, found } = await examine(more);
  expect(found.map((one) => one.code)).toContain(code);
  expect(exit).toBe(1);
});

test.each([
  ['taken', CALLBACK_TOKEN, 'ok'],
  ['refused', 'another-token-0123456789abcdef', 'problem'],
])('a callback of a remote service with a token that is %s is tried', async (_name, token, state) => {
  const remote = { RETRY_SERVICE_URL: 'http://127.0.0.1:1', RETRY_SERVICE_API_KEY: SERVICE_KEY };
  const { findings } = await examine({ ...remote, RECOVERY_CALLBACK_TOKEN: token });
  expect(findings.filter(({ code }) => code === 'callback_round_trip')).toMatchObject([{ state }]);
});

test('an endpoint that misses events is named with them', async () => {
  const [endpoint] = sandbox.state.webhookEndpoints.newestFirst();
  Object.assign(endpoint ?? {}, { enabled_events: HANDLED_EVENTS.slice(1) });
  const { found } = await examine();
  expect(found).toMatchObject([
    { code: 'webhook_endpoint', detail: expect.stringContaining(HANDLED_EVENTS[0] ?? '') },
  ]);
});

test('settings that cannot be read are all named, with an exit code of their own', async () => {
  const { code, found } = await examine({ RETRY_MODE: 'advisry', PORT: 'x' });
  expect(code).toBe(2);
  expect(found.map(({ detail }) => detail)).toEqual([
    expect.stringContaining('PORT'),
    expect.stringContaining('RETRY_MODE'),
  ]);
});

test('what a person reads says how to mend it', async () => {
  sandbox.state.portalConfigurations.remove('bpc_sandbox_default');
  process.env = { ...environment, ...settings };
  let text = '';
  expect(await runDoctor({}, (part) => (text += part), resolve)).toBe(1);
  expect(text).toMatch(/PROBLEM {2}Customers can change their card: none\n +`connect --portal`/);
  expect(text).toMatch(/1 to mend/);
});
