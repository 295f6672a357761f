import { readFileSync } from 'node:fs';
import { listPermissions } from '../../../../scripts/docs/app-permissions.ts';
import { systemClock } from '../../../../src/core/base/clock.ts';
import { namePermission as nameAsked, openSdk } from '../../../../src/plugin/clients/stripe-client.ts';
import {
  checkStripe,
  namePermission,
  TRIED_PERMISSIONS,
} from '../../../../src/plugin/operator/checks/stripe-checks.ts';
import { loadConfig } from '../../../../src/plugin/settings/config.ts';
import { startHttpStub } from '../../../support/http/http-stub.ts';

test('the page on setting up names exactly the permissions that doctor tries', () => {
  const page = readFileSync(
    new URL('../../../../docs/tutorials/getting-started.md', import.meta.url),
    'utf8',
  );
  const table = page.slice(page.indexOf('### Permissions'), page.indexOf('### Beside'));
  const named = [...table.matchAll(/^\| (.+ \((?:read|write)\)) \|/gm)].map(([, name]) => name);
  // Commands that set up need it; the plugin does not.
  expect(named).toEqual([...TRIED_PERMISSIONS.map(namePermission), 'Webhook Endpoints (write)']);
});

/** No call needs it: the portal does, for managing payment methods. */
const NOT_TRIED = ['elements_write'];

// test/manifest/manifest.test.ts compares the calls in the manifest's table with the source, in both directions.
test("doctor tries exactly the permissions of the key app's manifest", () => {
  const asked = listPermissions().map(({ permission }) => permission);
  expect([...TRIED_PERMISSIONS, ...NOT_TRIED].sort()).toEqual(asked);
});

test('what doctor calls a permission is what status and the log call it', async () => {
  const body = { error: { type: 'invalid_request_error', message: 'no' } };
  const stub = await startHttpStub(() => ({ status: 403, body }));
  const config = loadConfig(
    {
      retryMode: 'advisory',
      stripeSecretKey: 'rk_test_1',
      stripeWebhookSecret: 'whsec_1',
      stripeApiBase: stub.url.href,
      backupMethods: 'on',
    },
    {},
  );
  const needed = TRIED_PERMISSIONS.filter((id) => id !== 'mandate_read').map(namePermission);
  const findings = await checkStripe(openSdk(config.stripe), config, systemClock);
  const lacking = findings.filter(({ code }) => code === 'stripe_permission').map(({ detail }) => detail);
  expect(lacking.sort()).toEqual(needed.sort());
  const asked = stub.requests.map(({ method, path }) => nameAsked(method, path));
  // Of the endpoint and of the portal's configuration, which the plugin itself does not read.
  const beside = ['/v1/webhook_endpoints (read)', 'Customer portal (read)', 'Mandates (read)'];
  expect([...new Set(asked)].filter((name) => !beside.includes(name)).sort()).toEqual(lacking);
  await stub.stop();
});

test.each([
  ['sk_test_1', 'warning'],
  ['rk_test_1', 'ok'],
])('the key %s works, and is: %s', async (stripeSecretKey, state) => {
  const stub = await startHttpStub(() => ({
    status: 200,
    body: { object: 'list', data: [], has_more: false },
  }));
  const config = loadConfig(
    { retryMode: 'advisory', stripeSecretKey, stripeWebhookSecret: 'whsec_1', stripeApiBase: stub.url.href },
    {},
  );
  const findings = await checkStripe(openSdk(config.stripe), config, systemClock);
  expect(findings.filter(({ code }) => code === 'stripe_key')).toMatchObject([{ state }]);
  expect(findings.filter(({ code }) => code === 'stripe_permission')).toMatchObject([
    { state: 'ok', detail: "17 of 17 in the app's manifest" },
  ]);
  await stub.stop();
});

test('a key without a permission that no setting needs is in order, and doctor names what it lacks', async () => {
  const refused = { error: { type: 'invalid_request_error', message: 'no' } };
  const stub = await startHttpStub(({ path }) =>
    /setup_intents|mandates/.test(path)
      ? { status: 403, body: refused }
      : { status: 200, body: { object: 'list', data: [], has_more: false } },
  );
  const config = loadConfig(
    {
      retryMode: 'advisory',
      stripeSecretKey: 'rk_test_1',
      stripeWebhookSecret: 'whsec_1',
      stripeApiBase: stub.url.href,
    },
    {},
  );
  const findings = await checkStripe(openSdk(config.stripe), config, systemClock);
  expect(findings.filter(({ code }) => code === 'stripe_permission')).toMatchObject([
    {
      state: 'ok',
      detail:
        "15 of 17 in the app's manifest; not needed with these settings: Mandates (read), Setup Intents (read)",
    },
  ]);
  await stub.stop();
});
