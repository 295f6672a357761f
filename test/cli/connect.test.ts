/** `init`, `connect` and `disconnect` as a person runs them in an empty folder, against the sandbox. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { runConnect } from '../../src/cli/connect-command.ts';
import { runDisconnect } from '../../src/cli/disconnect-command.ts';
import { runInit } from '../../src/cli/init-command.ts';
import type { Terminal } from '../../src/cli/process/run-on-store.ts';
import { readEnvFile } from '../../src/cli/setup/env-file.ts';
import { createSimulatedClock } from '../../src/core/base/clock.ts';
import { ConfigError } from '../../src/core/base/errors.ts';
import { HANDLED_EVENTS } from '../../src/plugin/operator/checks/webhook-endpoint.ts';
import { loadConfig } from '../../src/plugin/settings/config.ts';
import { NATIVE_HANDLERS, THIN_TYPES } from '../../src/plugin/sync/events/handlers.ts';
import {
  buildPortalConfiguration,
  CONFIGURABLE_TYPES,
  preferenceOf,
} from '../../src/workbench/sandbox/objects/build-portal-configuration.ts';
import { type Sandbox, startSandbox } from '../../src/workbench/sandbox/sandbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'connect-'));
const file = join(folder, '.env');
const environment = { ...process.env };
let sandbox: Sandbox;
let said = '';
const write = (text: string) => {
  said += text;
};
const terminal: Terminal = { output: { write }, interrupted: () => new Promise(() => {}) };

beforeAll(async () => {
  sandbox = await startSandbox({ clock: createSimulatedClock(DateTime.fromISO('2026-11-02T10:00:00Z')) });
});
afterAll(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  said = '';
  rmSync(file, { force: true });
  for (const { id } of [...sandbox.state.webhookEndpoints.newestFirst()])
    sandbox.state.webhookEndpoints.remove(id);
  arrangePortal({});
  for (const { id } of madePortals()) sandbox.state.portalConfigurations.remove(id);
  for (const { id } of madeMethods()) sandbox.state.methodConfigurations.remove(id);
});
afterEach(() => {
  process.env = { ...environment };
});

const init = (...set: string[]) =>
  runInit(
    {
      file,
      yes: true,
      set: [`STRIPE_SECRET_KEY=${sandbox.secretKey}`, `STRIPE_API_BASE=${sandbox.url}`, ...set],
    },
    write,
  );

/** As a command that begins in the folder. */
const connect = (options: object = {}) => {
  process.env = { ...environment, ...readEnvFile(file) };
  return runConnect({ file, ...options }, terminal);
};

const endpoints = () => [...sandbox.state.webhookEndpoints.newestFirst()];

test('init and connect make an installation whose settings are whole', async () => {
  expect(await init('PUBLIC_URL=https://billing.example.com')).toBe(0);
  expect(await connect()).toBe(0);
  const config = loadConfig({}, readEnvFile(file));
  expect(config.stripe.webhookSecrets).toEqual([sandbox.webhookSecret]);
  expect(readEnvFile(file).CONSOLE_PASSWORD).toHaveLength(32);
  expect(config.mode).toBe('observe');
  expect(endpoints()).toEqual([
    expect.objectContaining({
      url: 'https://billing.example.com/webhooks/stripe',
      enabled_events: HANDLED_EVENTS,
      status: 'enabled',
    }),
  ]);
  expect(said).toMatch(/STRIPE_WEBHOOK_SECRET stored in .*\.env/);
  expect(said).not.toContain(sandbox.webhookSecret);
});

test('init proposes the address of the port that is given', async () => {
  expect(await init('PORT=9090')).toBe(0);
  expect(readEnvFile(file).PUBLIC_URL).toBe('http://localhost:9090');
});

test('init keeps what the file has, and completes it', async () => {
  await init('SMTP_URL=smtp://localhost', 'EMAIL_FROM=a@shop.example');
  const before = readEnvFile(file);
  expect(before.LINK_SECRET).toHaveLength(32);
  await init('TIME_ZONE=Europe/Berlin');
  expect(readEnvFile(file)).toEqual({ ...before, TIME_ZONE: 'Europe/Berlin' });
});

test('init says everything that does not fit at once, and writes nothing', async () => {
  const made = init('RETRY_MODE=advisry', 'PUBLIC_URL=http://billing.example.com');
  await expect(made).rejects.toThrow(ConfigError);
  await expect(made).rejects.toThrow(/RETRY_MODE must be one of[\s\S]*|PUBLIC_URL must be https/);
  expect(() => readFileSync(file)).toThrow();
});

test('init leaves to files what they hold, and connect writes the secret into the one that is named', async () => {
  const secret = join(folder, 'webhook-secret');
  await init(
    'PUBLIC_URL=https://billing.example.com',
    'CONSOLE_PASSWORD_FILE=/run/secrets/console',
    `STRIPE_WEBHOOK_SECRET_FILE=${secret}`,
  );
  expect(readEnvFile(file).CONSOLE_PASSWORD).toBeUndefined();
  await connect();
  expect(readFileSync(secret, 'utf8')).toBe(`${sandbox.webhookSecret}\n`);
  expect(readEnvFile(file).STRIPE_WEBHOOK_SECRET).toBeUndefined();
  await connect();
  expect(said).toMatch(/in order/);
});

test('connect makes no endpoint whose secret it could not keep', async () => {
  await init('STRIPE_WEBHOOK_SECRET_FILE=/nowhere/secret', 'PUBLIC_URL=https://billing.example.com');
  await expect(connect()).rejects.toThrow('cannot be written to /nowhere/secret');
  expect(endpoints()).toEqual([]);
});

test('connect twice leaves one endpoint', async () => {
  await init();
  await connect();
  const [first] = endpoints();
  await connect();
  expect(endpoints()).toEqual([first]);
  expect(said).toMatch(/in order/);
});

test('connect repairs an endpoint that was disabled and knows too few events', async () => {
  await init();
  await connect();
  const [endpoint] = endpoints();
  Object.assign(endpoint ?? {}, { status: 'disabled', enabled_events: ['invoice.paid'] });
  await connect();
  expect(said).toMatch(/repaired \(disabled, \d+ events were missing\)/);
  expect(endpoints()).toEqual([
    expect.objectContaining({ id: endpoint?.id, status: 'enabled', enabled_events: HANDLED_EVENTS }),
  ]);
});

test('connect --events thin moves over in two steps, repairs what it made, and disconnect removes it', async () => {
  const { destinations } = sandbox.state;
  const made = () => [...destinations.newestFirst()];
  await init();
  await connect();
  await connect({ events: 'thin' });
  const [destination] = made();
  expect(destination).toMatchObject({ event_payload: 'thin', enabled_events: THIN_TYPES, status: 'enabled' });
  // Until the process has the new secret, snapshots come on.
  expect(endpoints()).toHaveLength(1);
  const { STRIPE_WEBHOOK_SECRET } = readEnvFile(file);
  expect(STRIPE_WEBHOOK_SECRET).toBe(
    `${destination?.webhook_endpoint.signing_secret},${sandbox.webhookSecret}`,
  );
  // Only a command that names the form ends the move.
  await connect();
  expect([made(), endpoints().length]).toEqual([[destination], 1]);
  await connect({ events: 'thin' });
  expect(endpoints()).toEqual([]);
  Object.assign(destination ?? {}, { status: 'disabled', enabled_events: ['v1.invoice.paid'] });
  await connect();
  expect(said).toMatch(/event destination ed_\S+: repaired \(disabled, \d+ events were missing\)/);
  expect(made()).toEqual([
    expect.objectContaining({ id: destination?.id, status: 'enabled', enabled_events: THIN_TYPES }),
  ]);
  process.env = { ...environment, ...readEnvFile(file) };
  expect(await runDisconnect({}, terminal)).toBe(0);
  expect(made()).toEqual([]);
});

test('connect makes a destination anew whose secret is not known, before it removes the endpoint', async () => {
  await init();
  await connect();
  const before = readFileSync(file, 'utf8');
  await connect({ events: 'thin' });
  const [lost] = [...sandbox.state.destinations.newestFirst()];
  writeFileSync(file, before);
  await connect({ events: 'thin' });
  const [made, ...others] = [...sandbox.state.destinations.newestFirst()];
  expect([made?.id === lost?.id, others, endpoints().length]).toEqual([false, [], 1]);
  const secret = made?.webhook_endpoint.signing_secret;
  expect(readEnvFile(file).STRIPE_WEBHOOK_SECRET).toBe(`${secret},${sandbox.webhookSecret}`);
  sandbox.state.destinations.remove(made?.id ?? '');
});

test('an endpoint for connected accounts comes with a secret of its own, and the other one is kept', async () => {
  await init();
  await connect();
  const { STRIPE_WEBHOOK_SECRET: own } = readEnvFile(file);
  await init('CONNECTED_ACCOUNTS={"acct_1":{}}');
  await connect();
  const [, ...kept] = readEnvFile(file).STRIPE_WEBHOOK_SECRET?.split(',') ?? [];
  expect([endpoints().length, kept]).toEqual([2, [own]]);
  said = '';
  await connect();
  expect(said.match(/in order/g)).toHaveLength(2);
});

test('connect and disconnect leave a destination for the retry signal alone as it is', async () => {
  const stripe = new Stripe(sandbox.secretKey, {
    host: '127.0.0.1',
    port: new URL(sandbox.url).port,
    protocol: 'http',
  });
  const { id } = await stripe.v2.core.eventDestinations.create({
    name: 'Signal',
    type: 'webhook_endpoint',
    event_payload: 'thin',
    enabled_events: Object.keys(NATIVE_HANDLERS),
    webhook_endpoint: { url: 'http://localhost:8080/webhooks/stripe' },
  });
  const before = structuredClone(sandbox.state.destinations.get(id));
  await init();
  for (const options of [{}, {}, { events: 'thin' }, {}]) await connect(options);
  process.env = { ...environment, ...readEnvFile(file) };
  expect(await runDisconnect({}, terminal)).toBe(0);
  expect(sandbox.state.destinations.get(id)).toEqual(before);
  expect([...sandbox.state.destinations.newestFirst()].map((one) => one.id)).toEqual([id]);
});

test('an endpoint of another API version is replaced', async () => {
  await init();
  await connect();
  const [old] = endpoints();
  Object.assign(old ?? {}, { api_version: '2024-06-20' });
  await connect();
  expect(endpoints().map(({ id }) => id)).not.toContain(old?.id);
  expect(endpoints()).toHaveLength(1);
  expect(said).toMatch(/its API version is another, and cannot be changed/);
});

test('an endpoint whose secret nobody has is replaced', async () => {
  const old = sandbox.addWebhookEndpoint('http://localhost:8080/webhooks/stripe');
  Object.assign(old, { api_version: Stripe.API_VERSION });
  await init();
  await connect();
  expect(endpoints()).toHaveLength(1);
  expect(said).toMatch(/its secret is not known here/);
});

test('endpoints of others stay', async () => {
  const other = sandbox.addWebhookEndpoint('https://shop.example/hooks');
  await init();
  await connect();
  process.env.DATA_DIR = join(folder, 'none');
  expect(await runDisconnect({}, terminal)).toBe(0);
  expect(endpoints()).toEqual([other]);
});

test('an address that Stripe cannot reach is refused with what to do instead', async () => {
  await init('STRIPE_API_BASE=https://api.stripe.com');
  await expect(connect()).rejects.toMatchObject({ help: expect.stringMatching(/stripe listen/) });
});

/** As a merchant may have left it in the Dashboard. */
function arrangePortal({ canUpdate = true, types = ['card', 'link'] as ('card' | 'link' | 'konbini')[] }) {
  const { portalConfigurations, methodConfigurations } = sandbox.state;
  const usual = portalConfigurations.get('bpc_sandbox_default');
  if (usual) usual.features.payment_method_update.enabled = canUpdate;
  const methods = methodConfigurations.get('pmc_sandbox_default');
  if (methods)
    for (const type of CONFIGURABLE_TYPES)
      methods[type] = preferenceOf(types.some((on) => on === type) ? 'on' : 'off');
}

const madePortals = () =>
  [...sandbox.state.portalConfigurations.newestFirst()].filter(({ is_default: isDefault }) => !isDefault);
const madeMethods = () =>
  [...sandbox.state.methodConfigurations.newestFirst()].filter(({ is_default: isDefault }) => !isDefault);

async function disconnect(): Promise<number> {
  process.env = { ...environment, ...readEnvFile(file), DATA_DIR: join(folder, 'none') };
  return runDisconnect({}, terminal);
}

test('a portal in which nobody can change a card gets one configuration, which disconnect switches off and connect on', async () => {
  arrangePortal({ canUpdate: false });
  await init();
  await connect();
  expect(said).toMatch(/does not let customers change their card: `connect --portal` makes/);
  await connect({ portal: true });
  await connect({ portal: true });
  const { PORTAL_CONFIGURATION: id } = readEnvFile(file);
  const [made, ...others] = madePortals();
  expect([made?.id, made?.features.payment_method_update, others]).toEqual([
    id,
    { enabled: true, payment_method_configuration: null },
    [],
  ]);
  expect(said).toMatch(/lets customers change their card \(card, link\)/);
  expect(await disconnect()).toBe(0);
  expect(await disconnect()).toBe(0);
  expect(said.match(/bpc_\w+ of the billing portal was switched off/g)).toHaveLength(1);
  expect(made?.active).toBe(false);
  await connect();
  expect(made?.active).toBe(true);
  // A file of settings that was lost does not lead to another one.
  rmSync(file);
  await init();
  await connect({ portal: true });
  expect(readEnvFile(file).PORTAL_CONFIGURATION).toBe(id);
  expect(madePortals()).toHaveLength(1);
});

test('a portal that offers nothing to charge later gets payment methods of its own, which disconnect switches off', async () => {
  arrangePortal({ types: ['konbini'] });
  await init();
  await connect();
  expect(said).toMatch(/offers no payment method that can be charged at the next renewal/);
  await connect({ portal: true });
  await connect({ portal: true });
  const [methods, ...others] = madeMethods();
  expect([methods?.card?.available, methods?.link?.available, others]).toEqual([true, false, []]);
  expect(madePortals()[0]?.features.payment_method_update.payment_method_configuration).toBe(methods?.id);
  expect(await disconnect()).toBe(0);
  expect(methods?.active).toBe(false);
  await connect();
  expect(methods?.active).toBe(true);
});

test('a portal that is made lets customers pause where the usual one does, and keeps what the merchant made of it', async () => {
  const usual = sandbox.state.portalConfigurations.get('bpc_sandbox_default');
  Object.assign(usual?.features.subscription_pause ?? {}, { enabled: true });
  arrangePortal({ types: ['konbini'] });
  await init();
  await connect({ portal: true });
  const [made] = madePortals();
  expect(made?.features.subscription_pause.enabled).toBe(true);
  Object.assign(usual?.features.subscription_pause ?? {}, { enabled: false });
  await connect({ portal: true });
  expect(made?.features.subscription_pause.enabled).toBe(true);
});

test("a configuration that is the merchant's own is never changed", async () => {
  const other = sandbox.state.portalConfigurations.add(
    buildPortalConfiguration({ id: 'bpc_own', created: 1, name: 'Own', is_default: false, metadata: {} }),
  );
  await init('PORTAL_CONFIGURATION=bpc_own');
  await connect();
  await connect({ portal: true });
  expect(readEnvFile(file).PORTAL_CONFIGURATION).not.toBe('bpc_own');
  await disconnect();
  expect(other).toMatchObject({ active: true, features: { payment_method_update: { enabled: false } } });
});

test('a key that may not read payment methods is no reason to make other ones', async () => {
  arrangePortal({ canUpdate: false });
  sandbox.faults.next('GET', '/v1/payment_method_configurations', 'permission_denied', 9);
  await init();
  await connect({ portal: true });
  expect(madeMethods()).toEqual([]);
  sandbox.faults.clear();
});
