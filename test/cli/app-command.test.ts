/** `app` as a person runs it in the folder of an installation: without the Stripe CLI, with a stand-in for it, and beside a server. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { listPermissions } from '../../scripts/docs/app-permissions.ts';
import { describeAppFolder, runApp } from '../../src/cli/app-command.ts';
import { readEnvFile } from '../../src/cli/setup/env-file.ts';
import { createSimulatedClock } from '../../src/core/base/clock.ts';
import { UsageError } from '../../src/core/base/errors.ts';
import { checkApp } from '../../src/plugin/operator/checks/address-checks.ts';
import {
  type AppHarness,
  NOW,
  OLD_SECRET,
  SECRET,
  startApp,
} from '../plugin/operator/stripe-app/app-harness.ts';

const ID = 'com.shop.recovery';
const PUBLIC_URL = 'https://billing.shop.example/payments';
const environment = { ...process.env };
const home = process.cwd();
let folder: string;
let said: string;
let server: AppHarness;
beforeAll(async () => {
  server = await startApp();
});
afterAll(() => server.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'app-'));
  process.chdir(folder);
  said = '';
  process.env = { PUBLIC_URL, PATH: folder };
});
afterEach(() => {
  process.chdir(home);
  process.env = { ...environment };
  rmSync(folder, { recursive: true });
});

const app = (options: object, secret = '') =>
  runApp(
    options,
    (text) => {
      said += text;
    },
    async () => secret,
  );
const written = z.looseObject({ version: z.string(), permissions: z.array(z.unknown()) });
const manifest = () => written.parse(JSON.parse(readFileSync('stripe-app/stripe-app.json', 'utf8')));

/** Programs that write down in which folder they were called, and with what. */
function standIn(name: string, exitCode = 0): void {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\necho "$PWD ${name} $*" >> ${folder}/calls\nexit ${exitCode}\n`);
  chmodSync(path, 0o755);
}
const calls = () =>
  readFileSync('calls', 'utf8')
    .replaceAll(`${folder}/`, '')
    .split('\n')
    .filter((line) => /upload|ci/.test(line));

test('without the Stripe CLI, app writes a private app without permissions and prints the commands', async () => {
  expect(await app({ id: ID })).toBe(0);
  const address = `${PUBLIC_URL}/app/`;
  expect(manifest()).toMatchObject({
    id: ID,
    version: '0.1.0',
    name: 'Payment Retry',
    distribution_type: 'private',
    permissions: [],
    constants: { backends: { live: address, test: address } },
    ui_extension: { content_security_policy: { 'connect-src': [address] } },
  });
  expect(said).toContain('cd stripe-app\n  npm ci && stripe apps upload\n');
  expect(statSync('stripe-app/src/views/InvoiceModule.tsx').isFile()).toBe(true);
  expect(statSync('stripe-app/package-lock.json').isFile()).toBe(true);
  expect(JSON.parse(readFileSync('stripe-app/tsconfig.json', 'utf8')).include).toContain('src');
});

test('app --restricted-key writes the app that hands out the key, beside the one with views', async () => {
  await app({ id: ID, upload: false });
  expect(await app({ restrictedKey: true, id: `${ID}-key`, public: true })).toBe(0);
  const key = written.parse(JSON.parse(readFileSync('stripe-key-app/stripe-app.json', 'utf8')));
  expect(key).toMatchObject({
    id: `${ID}-key`,
    distribution_type: 'public',
    stripe_api_access_type: 'restricted_api_key',
    permissions: listPermissions(),
  });
  expect(statSync('stripe-key-app/src/views/KeySettings.tsx').isFile()).toBe(true);
  expect(existsSync('stripe-key-app/src/views/InvoiceModule.tsx')).toBe(false);
  expect(said).toContain('paste it into: npx stripe-payment-retry init');
  expect(manifest()).toMatchObject({ id: ID, permissions: [] });
  await app({ restrictedKey: true, name: 'Key of the shop', upload: false });
  expect(JSON.parse(readFileSync('stripe-key-app/stripe-app.json', 'utf8'))).toMatchObject({
    id: `${ID}-key`,
    name: 'Key of the shop',
    version: '0.1.0-1',
    distribution_type: 'public',
  });
});

test('with the Stripe CLI, app installs what the views need and uploads them', async () => {
  for (const name of ['npm', 'stripe']) standIn(name);
  expect(await app({ id: ID })).toBe(0);
  expect(calls()).toEqual(['stripe-app npm ci', 'stripe-app stripe apps upload']);
  expect(said).toContain('Version 0.1.0 is uploaded.');
});

test('an upload that fails is said, with exit code 1', async () => {
  standIn('npm', 1);
  standIn('stripe');
  expect(await app({ id: ID })).toBe(1);
  expect(said).toContain('`npm ci` failed in stripe-app');
  expect(calls()).toEqual(['stripe-app npm ci']);
});

test('an upload that Stripe refuses is said with what it needs', async () => {
  standIn('npm');
  standIn('stripe');
  writeFileSync(
    join(folder, 'stripe'),
    `#!/bin/sh\necho "$PWD stripe $*" >> ${folder}/calls\ntest "$1" != apps\n`,
  );
  expect(await app({ id: ID })).toBe(1);
  expect(said).toContain('`stripe apps upload` failed in stripe-app');
  expect(said).toContain('`stripe plugin install apps`');
});

test('a server on this machine is for a preview alone', async () => {
  process.env.PUBLIC_URL = 'http://localhost:8080';
  await expect(app({ id: ID })).rejects.toThrow('nobody reaches http://localhost:8080/app/');
  expect(existsSync('stripe-app')).toBe(false);
  await app({ id: ID, upload: false });
  await expect(app({})).rejects.toThrow('nobody reaches');
  expect(await app({ backend: 'https://shop.example' })).toBe(0);
});

test('app keeps what it is not given again, and a change gets a version that Stripe takes', async () => {
  await app({ id: ID, name: 'Recovery', upload: false });
  const first = manifest();
  await app({ upload: false });
  expect(manifest()).toEqual(first);
  await app({ testBackend: 'https://test.shop.example', upload: false });
  expect(manifest()).toMatchObject({
    id: ID,
    name: 'Recovery',
    version: '0.1.0-1',
    distribution_type: 'private',
    constants: { backends: { live: `${PUBLIC_URL}/app/`, test: 'https://test.shop.example/app/' } },
  });
  await app({ backend: 'https://new.shop.example', upload: false });
  expect(manifest()).toMatchObject({ version: '0.1.0-2' });
});

test.each([
  [{}, '--id is missing'],
  [{ id: 'com shop' }, '--id has letters'],
  [{ id: ID, name: 'Retry for Stripe' }, '--name has 35 characters'],
  [{ id: ID, backend: 'http://shop.example' }, '--backend is an https address'],
  [{ id: ID, public: true }, '--public goes with --restricted-key'],
  [{ restrictedKey: true }, '--id is missing'],
])('app refuses %p', async (options, message) => {
  const refused: unknown = await app(options).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UsageError);
  expect(refused).toMatchObject({ message: expect.stringContaining(message) });
});

test('a secret that the server does not know yet is stored before the old one, with exit code 1', async () => {
  process.env.PUBLIC_URL = server.url;
  writeFileSync('.env', `STRIPE_APP_SECRET=${SECRET}\n`);
  expect(await app({ secret: true }, 'absec_next\n')).toBe(1);
  expect(readEnvFile('.env').STRIPE_APP_SECRET).toBe(`absec_next,${SECRET}`);
  expect(said).toContain('Start the plugin again with this secret');
  expect(await app({ secret: true }, 'absec_next')).toBe(1);
  expect(readEnvFile('.env').STRIPE_APP_SECRET).toBe(`absec_next,${SECRET}`);
});

test('a secret in a file of its own is stored there', async () => {
  process.env.PUBLIC_URL = 'http://127.0.0.1:1';
  writeFileSync('.env', 'STRIPE_APP_SECRET_FILE=secret\n');
  expect(await app({ secret: true }, 'absec_next')).toBe(1);
  expect(readFileSync('secret', 'utf8')).toBe('absec_next\n');
  expect(readEnvFile('.env').STRIPE_APP_SECRET).toBeUndefined();
});

test.each([
  [SECRET, 'ok'],
  [OLD_SECRET, 'ok'],
  ['absec_another', 'problem'],
])('a signed request with the secret %s is %s', async (secret, state) => {
  const publicUrl = new URL(server.url);
  const found = await checkApp({ publicUrl, stripeAppSecrets: [secret] }, createSimulatedClock(NOW));
  expect(found).toMatchObject({ code: 'app_round_trip', state });
});

test('doctor says what the folder of the app lacks, and nothing where there is none', async () => {
  const publicUrl = new URL(PUBLIC_URL);
  expect(describeAppFolder({ publicUrl, stripeAppSecrets: undefined })).toBeUndefined();
  await app({ id: ID, upload: false });
  expect(describeAppFolder({ publicUrl, stripeAppSecrets: [SECRET] })).toBe('');
  const moved = { publicUrl: new URL('https://other.example'), stripeAppSecrets: undefined };
  expect(describeAppFolder(moved)).toBe(
    `STRIPE_APP_SECRET is not set; it asks ${PUBLIC_URL}/app/, and PUBLIC_URL is https://other.example/`,
  );
});

test.each(['{"id":', '{"id": "com.shop.recovery"}', '[]'])(
  'a folder of the app whose manifest is %s is said by app and by doctor, and left as it is',
  async (text) => {
    await app({ id: ID, upload: false });
    writeFileSync('stripe-app/stripe-app.json', text);
    await expect(app({ upload: false })).rejects.toThrow('stripe-app.json is no manifest: take it away');
    expect(readFileSync('stripe-app/stripe-app.json', 'utf8')).toBe(text);
    const settings = { publicUrl: new URL(PUBLIC_URL), stripeAppSecrets: [SECRET] };
    expect(describeAppFolder(settings)).toContain('is no manifest');
  },
);
