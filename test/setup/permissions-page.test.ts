import { readFileSync } from 'node:fs';
import { listPermissions } from '../../src/operator/checks/stripe-checks.ts';

test('the page on setting up names exactly the permissions that doctor tries', () => {
  const page = readFileSync(new URL('../../docs/1_getting_started.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('### Permissions'), page.indexOf('### Beside'));
  const named = [...table.matchAll(/^\| (.+ \((?:read|write)\)) \|/gm)].map(([, name]) => name);
  // Commands that set up need it; the plugin does not.
  expect(named).toEqual([...listPermissions(), 'Webhook Endpoints (write)']);
});
