/** `doctor` beside a running plugin, on the sandbox: without a finding, and with each thing broken once. */
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { runDoctor } from '../../src/cli/doctor-command.ts';
import { createSimulatedClock, systemClock } from '../../src/core/base/clock.ts';
import { silentLogger } from '../../src/core/base/logger.ts';
import { type RunningServer, startServer } from '../../src/plugin/app/server.ts';
import { HANDLED_EVENTS } from '../../src/plugin/operator/checks/webhook-endpoint.ts';
import {
  CONFIGURABLE_TYPES,
  preferenceOf,
} from '../../src/workbench/sandbox/objects/build-portal-configuration.ts';
import { type Sandbox, startSandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { MAIN, optionsOf, variablesOf } from '../support/database/databases.ts';
import { type EmailCatcher, startEmailCatcher } from '../support/http/email-catcher.ts';
import { startRecordingService } from '../support/http/recording-service.ts';

const CALLBACK_TOKEN = 'callback-token-of-the-doctor-0123';
const SERVICE_KEY = 'service-key-of-the-doctor-0123456';
const environment = { ...process.env };
let sandbox: Sandbox;
let server: RunningServer;
let email: EmailCatcher;
let remove: () => Promise<void>;
let settings: Record<string, string>;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: createSimulatedClock(systemClock.now()) });
  email = await startEmailCatcher();
  const database = await MAIN.createMigrated();
  remove = database.remove;
  settings = {
    RETRY_MODE: 'advisory',
    STRIPE_SECRET_KEY: sandbox.secretKey,
    STRIPE_WEBHOOK_SECRET: sandbox.webhookSecret,
    STRIPE_API_BASE: sandbox.url,
    SMTP_URL: email.url,
    EMAIL_FROM: 'billing@shop.example',
    RECOVERY_CALLBACK_TOKEN: CALLBACK_TOKEN,
    LINK_SECRET: 'a-link-secret-for-tests-only-0123456789',
    ...variablesOf(database.location),
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
  await Promise.all([sandbox.stop(), email.stop()]);
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
  const problems = found.filter(({ state }) => state === 'problem');
  return { code, findings, found, problems };
}

test('a whole installation has no problem, and says what is still to come', async () => {
  const { code, findings, found } = await examine();
  expect(found).toEqual([
    { code: 'events', state: 'waiting', detail: '' },
    { code: 'backfill', state: 'warning', detail: '' },
  ]);
  expect(code).toBe(0);
  // What doctor sends to itself is no event of Stripe's, however often it asks.
  expect((await examine()).found).toEqual(found);
  // The embedded service does not call back through PUBLIC_URL.
  expect(findings.map(({ code: name }) => name)).not.toContain('callback_round_trip');
  expect(findings.map(({ code: name }) => name)).toEqual(
    expect.arrayContaining([
      ...['webhook_round_trip', 'queues', 'mail_server', 'portal'],
      ...['database', 'migrations', 'effects', 'callbacks'],
    ]),
  );
});

test.each([
  ['GET', '/v1/charges', 'Charges (read)'],
  ['POST', /\/v1\/invoices\/.*\/pay/, 'Invoices (write)'],
] as const)('a key that may not %s %s lacks a permission by name', async (method, path, name) => {
  sandbox.faults.next(method, path, 'permission_denied');
  expect(await examine()).toMatchObject({
    code: 1,
    problems: [{ code: 'stripe_permission', state: 'problem', detail: name }],
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

test('a remote service that answers is in order, and one that is away is named', async () => {
  const service = await startRecordingService(systemClock, 'the-right-key');
  const remote = {
    RETRY_SERVICE_URL: service.url,
    RECOVERY_CALLBACK_TOKEN: 'another-token-0123456789abcdef',
  };
  const told = async (key: string) => {
    const { findings } = await examine({ ...remote, RETRY_SERVICE_API_KEY: key });
    return findings.find(({ code }) => code === 'retry_service');
  };
  expect(await told('the-right-key')).toEqual({
    code: 'retry_service',
    state: 'ok',
    detail: `${service.url}/`,
  });
  await service.stop();
  expect(await told('the-right-key')).toMatchObject({
    state: 'problem',
    detail: expect.stringContaining('ECONNREFUSED'),
  });
});

test('an endpoint that misses events is named with them', async () => {
  const [endpoint] = sandbox.state.webhookEndpoints.newestFirst();
  Object.assign(endpoint ?? {}, { enabled_events: HANDLED_EVENTS.slice(1) });
  const { problems } = await examine();
  expect(problems).toMatchObject([
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

test('a file of settings that others may read is named, and --fix takes it from them', async () => {
  const before = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  writeFileSync(join(folder, '.env'), '', { mode: 0o600 });
  chmodSync(join(folder, '.env'), 0o644);
  process.chdir(folder);
  try {
    const [first] = (await examine()).problems;
    expect(first).toMatchObject({ code: 'settings_file', detail: '.env has mode 644' });
    process.env = { ...environment, ...settings };
    expect(await runDoctor({ fix: true }, () => {}, resolve)).toBe(0);
    expect(statSync('.env').mode & 0o777).toBe(0o600);
    expect((await examine()).problems).toEqual([]);
  } finally {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  }
});

const onPostgres = MAIN.engine === 'postgres' ? test : test.skip;
onPostgres('tables that are behind are brought up to date by --fix', async () => {
  const { location, remove } = await MAIN.create();
  if (location.kind !== 'postgres') throw new Error('It is on PostgreSQL.');
  const empty = { DATABASE_URL: location.url };
  expect((await examine(empty)).problems).toContainEqual(
    expect.objectContaining({ code: 'migrations', fix: 'migrate' }),
  );
  process.env = { ...environment, ...settings, ...empty };
  let text = '';
  await runDoctor({ fix: true }, (part) => (text += part), resolve);
  expect(text).toContain('applied 0001.sql');
  expect((await examine(empty)).problems.map(({ code }) => code)).not.toContain('migrations');
  await remove();
});

test('a database that is not there yet is named with its folder', async () => {
  const { problems } = await examine({ DATABASE_URL: '', DATA_DIR: './no-such-folder' });
  expect(problems).toMatchObject([
    { code: 'database', detail: expect.stringMatching(/^none in \/.*no-such-folder yet$/) },
  ]);
});

test('the payment methods that customers can choose from are named, and must serve at the next renewal', async () => {
  const portal = async () => (await examine()).findings.find(({ code }) => code === 'portal');
  expect(await portal()).toMatchObject({ state: 'ok', detail: expect.stringMatching(/^card, link, paypal/) });
  sandbox.faults.next('GET', '/v1/payment_method_configurations', 'permission_denied', 9);
  expect(await portal()).toMatchObject({
    state: 'ok',
    detail: expect.stringContaining('Payment Method Configurations (read)'),
  });
  sandbox.faults.clear();
  const methods = sandbox.state.methodConfigurations.get('pmc_sandbox_default');
  if (methods === undefined) throw new Error('There is no default.');
  const kept = { ...methods };
  for (const type of CONFIGURABLE_TYPES) methods[type] = preferenceOf(type === 'konbini' ? 'on' : 'off');
  expect(await portal()).toMatchObject({
    state: 'problem',
    detail: expect.stringContaining('no payment method that can be charged at the next renewal'),
  });
  Object.assign(methods, kept);
});

test('what a person reads says how to fix it', async () => {
  sandbox.state.portalConfigurations.remove('bpc_sandbox_default');
  process.env = { ...environment, ...settings };
  let text = '';
  expect(await runDoctor({}, (part) => (text += part), resolve)).toBe(1);
  expect(text).toMatch(
    /PROBLEM {2}Customers can change their card: the billing portal has no configuration that is switched on\n +`connect --portal`/,
  );
  expect(text).toMatch(/1 to fix/);
});
