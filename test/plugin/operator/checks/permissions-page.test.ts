import { readFileSync } from 'node:fs';
import { CALL_PERMISSIONS } from '../../../../scripts/docs/app-permissions.ts';
import { systemClock } from '../../../../src/core/base/clock.ts';
import { namePermission, openSdk } from '../../../../src/plugin/clients/stripe-client.ts';
import { checkStripe, listPermissions } from '../../../../src/plugin/operator/checks/stripe-checks.ts';
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
  expect(named).toEqual([...listPermissions(), 'Webhook Endpoints (write)']);
});

/** What the portal shows, and the account's name, which `BUSINESS_ENTITY` gives a key that may not read it. */
const OF_APPS_ALONE = ['elements_write', 'connected_account_read'];
const NAMES: Readonly<Record<string, string>> = { plan: 'Prices', customer_portal: 'Customer portal' };

/** `payment_intent_read` as `Payment Intents (read)`. */
function nameOf(permission: string): string {
  const [, resource = '', right = ''] = /^(.+)_(read|write)$/.exec(permission) ?? [];
  const words = resource.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${NAMES[resource] ?? `${words.join(' ')}s`} (${right})`;
}

// test/manifest/manifest.test.ts compares the calls in that table with the source, in both directions.
test('doctor tries exactly the permissions that the calls of the code need', () => {
  const needed = new Set(Object.values(CALL_PERMISSIONS).flat());
  const names = [...needed].filter((one) => !OF_APPS_ALONE.includes(one)).map(nameOf);
  expect(listPermissions().sort()).toEqual(names.sort());
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
  const findings = await checkStripe(openSdk(config.stripe), config, systemClock);
  const lacking = findings.filter(({ code }) => code === 'stripe_permission').map(({ detail }) => detail);
  expect(lacking.sort()).toEqual(listPermissions().sort());
  const asked = stub.requests.map(({ method, path }) => namePermission(method, path));
  // Of the endpoint and of the portal's configuration, which the plugin itself does not read.
  const beside = ['/v1/webhook_endpoints (read)', 'Customer portal (read)'];
  expect([...new Set(asked)].filter((name) => !beside.includes(name)).sort()).toEqual(lacking);
  await stub.stop();
});
