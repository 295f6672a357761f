/** Who did what: filtered, searched, and as a file. */

import type { AuditKind } from '../../../../src/plugin/actions/audit-kinds.ts';
import { reportKeys } from '../../../../src/plugin/app/commands/keys-command.ts';
import { recordAudit, recordKeyChange } from '../../../../src/plugin/store/tables/audit.ts';
import type { KeyDeps } from '../../../../src/service/keys/manage-api-keys.ts';
import { migrateService } from '../../../../src/service/migrate-service.ts';
import { type ConsoleHarness, NOW, startConsole, tokenIn } from './console-harness.ts';
import { insertFailedInvoice } from './failure-rows.ts';

let harness: ConsoleHarness;
let session: { cookie: string };
beforeAll(async () => {
  harness = await startConsole();
});
beforeEach(async () => {
  await harness.clear();
  session = await harness.signIn();
  const record = (kind: AuditKind, invoiceId: string | undefined, detail: Record<string, unknown>) =>
    recordAudit(harness.database, { account: 'own', at: NOW, invoiceId, kind, detail });
  await record('attempt.declined', 'in_1', { declineCode: 'insufficient_funds' });
  await record('operator.stopped', 'in_1', {
    by: 'anna',
    via: 'console',
    note: '=HYPERLINK("the customer called")',
  });
  await record('customer.forgotten', undefined, {
    by: 'ben',
    via: 'api',
    note: 'asked for it',
    customerId: 'cus_9',
  });
});
afterAll(() => harness?.stop());

const read = async (path: string) => (await harness.visit(`/console/${path}`, session)).text();
const whats = async (query = '') =>
  [...(await read(`audit${query}`)).matchAll(/<\/td><td>([^<]+)<\/td><td>([^<]+)<\/td>/g)].map(
    ([, what, by]) => `${what}: ${by}`,
  );

test('the audit keeps sign-ins apart, and finds what somebody did, and what an invoice or a customer met with', async () => {
  const declined = 'Payment declined: The plugin';
  const stopped = expect.stringMatching(/: anna, console$/);
  const forgotten = 'A customer was forgotten: ben, api';
  expect(await whats()).toEqual([forgotten, stopped, declined]);
  expect(await whats('?view=people')).toEqual([forgotten, stopped]);
  expect(await whats('?view=sign-ins')).toEqual(['An operator signed in: operator']);
  expect(await whats('?q=in_1')).toEqual([stopped, declined]);
  expect(await whats('?q=cus_9')).toEqual([forgotten]);
  expect(await whats('?view=people&q=anna')).toEqual([stopped]);
  expect(await read('audit?q=nobody')).toContain('Nothing matches.');
});

test('the audit says what an erasure came to, and what became of an API key', async () => {
  const line = { account: 'own', at: NOW, invoiceId: undefined };
  const removed = { emails: 3, service_cases: 1 };
  await recordAudit(harness.database, {
    ...line,
    kind: 'customer.erased',
    detail: { customerId: 'cus_8', removed },
  });
  const keys = (args: string[], options: object = {}) =>
    reportKeys({ database: harness.database, clock: harness.clock, by: 'anna', record }, args, options);
  const record: KeyDeps['record'] = (tx, change) => recordKeyChange(tx, NOW, { ...change, via: 'command' });
  await migrateService(harness.database);
  await harness.database.query(
    `insert into retry_service.api_keys (id, organization, hash, made_by, name, created_at) values ('key_p', 'default', 'h', 'package', '', now())`,
  );
  const { id } = JSON.parse((await keys(['create'], { name: 'the shop', json: true })).text);
  const rotated = JSON.parse((await keys(['rotate', id], { json: true })).text);
  await keys(['change', rotated.id], { name: 'the till' });
  await keys(['revoke', rotated.id]);
  // Nothing was done a second time, so that nothing is written.
  await keys(['revoke', rotated.id]);
  expect((await whats()).slice(0, 5)).toEqual([
    'An API key was revoked: anna, command',
    'An API key was renamed, or got another limit: anna, command',
    'An API key was rotated: anna, command',
    'An API key was made: anna, command',
    'Personal data was erased: The plugin',
  ]);
  const page = await read('audit');
  expect(page).toContain(`${rotated.id} “the till”`);
  expect(page).not.toContain(rotated.secret);
  // Nobody's doing here is found by the customer, too.
  expect(await read('audit?q=cus_8')).toContain('emails: 3 rows, service cases: 1 row');
});

test('the row of an act has its undo while it can be undone, and no longer', async () => {
  await insertFailedInvoice(harness.database, { id: 'in_7', at: NOW.minus({ days: 1 }) });
  const token = tokenIn(await read('nothing'));
  const send = async (name: string, fields: Record<string, string>) => {
    const headers = { ...session, 'sec-fetch-site': 'same-origin' };
    return harness.submit(`/console/operations/${name}`, { token, back: 'audit', ...fields }, headers);
  };
  const lines = async () =>
    [...(await read('audit')).matchAll(/name="line" value="(\d+)"/g)].map(([, id]) => id);
  expect(await lines()).toEqual([]);
  await send('stop', { invoice: 'in_7' });
  const [stopped = '', ...others] = await lines();
  expect(others).toEqual([]);
  await send('pause', {});
  expect(await lines()).toHaveLength(2);
  const undone = await send('undo', { line: stopped, back: 'audit?view=people' });
  expect([undone.status, await undone.text()]).toEqual([200, expect.stringContaining('is collected again')]);
  expect(await lines()).toHaveLength(1);
  await send('resume', {});
  // The pause is over: what ended it can be undone.
  const [resumed] = await lines();
  expect((await send('undo', { line: resumed ?? '' })).status).toBe(200);
  // Which is a pause anew.
  const [again, ...none] = await lines();
  expect([Number(again) > Number(resumed), none]).toEqual([true, []]);
});
