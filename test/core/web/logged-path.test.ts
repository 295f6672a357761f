import { readFileSync } from 'node:fs';
import { hideCardLinks } from '../../../src/core/base/logged-text.ts';
import { describePath } from '../../../src/core/web/logged-path.ts';
import { describeApi } from '../../../src/service/http/openapi/describe-api.ts';

const page = readFileSync(new URL('../../../docs/reference/paths.md', import.meta.url), 'utf8');
const listed = [...page.matchAll(/^\| .*$/gm)].flatMap(([row]) => [...row.matchAll(/`[A-Z, `]*(\/[^`]+)`/g)]);
const OWN = listed.flatMap(([, path = '']) => path.replace(/:\w+/g, '*'));
const SERVICE = Object.keys(describeApi({ requestsPerSecond: 1, concurrentRequests: 1 }).paths);

test.each([...OWN, ...SERVICE, '/console/login', '/console/logout', '/console/timing', '/console/invoices'])(
  'our own path %s is logged as it is',
  (path) => {
    expect(describePath(path)).toBe(path);
  },
);

test('the paths are found where they are listed', () => {
  expect(OWN).toEqual(expect.arrayContaining(['/webhooks/stripe', '/card-update/*', '/metrics']));
  expect(SERVICE.length).toBeGreaterThan(7);
});

test.each([
  ['/card-update/v1.abc.def', '/card-update/*'],
  ['/card-update/v1.abc.def/x', '/card-update/*/*'],
  ['/Card-Update/v1.abc.def', '/card-update/*'],
  ['//card-update//v1.abc.def', '//card-update//*'],
  ['/card-update%2Fv1.abc.def', '/*'],
  ['/%63ard-update/v1.abc.def', '/*/*'],
  ['/billing/card-update/v1.abc.def', '/*/card-update/*'],
  ['/v1.abc.def', '/*'],
  ['v1.abc.def', '*'],
  ['/accounts/acct_1A/recovery_action', '/accounts/acct_1A/recovery_action'],
  ['/console/invoices/in_1A', '/console/invoices/in_1A'],
  ['/console/invoices/v1.abc.def', '/console/invoices/*'],
  ['/console/invoices/in_v1.abc.def', '/console/invoices/*'],
  ['', ''],
  ['*', '*'],
])('%s is logged as %s', (path, logged) => {
  expect(describePath(path)).toBe(logged);
});

test('a path without end is cut off', () => {
  expect(describePath('/x'.repeat(10_000))).toHaveLength(200);
});

test.each([
  ['550 blocked: https://shop.example/card-update/v1.abc.def (spam)', '550 blocked: [hidden] (spam)'],
  ['<a href="http://shop/Card-Update/v1.abc.def">', '<a [hidden]'],
  ['550 see https://help.example/why', '550 see https://help.example/why'],
  ['the card-update email', 'the card-update email'],
])('in %s links are hidden', (text, told) => {
  expect(hideCardLinks(text)).toBe(told);
});
