/** Who did what: filtered, searched, and as a file. */
import { recordAudit } from '../../../src/store/tables/audit.ts';
import { type ConsoleHarness, NOW, startConsole } from './console-harness.ts';

let harness: ConsoleHarness;
let session: { cookie: string };
beforeAll(async () => {
  harness = await startConsole();
});
beforeEach(async () => {
  await harness.clear();
  session = await harness.signIn();
  const record = (kind: string, invoiceId: string | undefined, detail: Record<string, unknown>) =>
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

test('the audit as a file has what the page has, in words and codes, and no formula', async () => {
  expect(await read('audit?view=people&q=anna')).toContain('href="./audit.csv?view=people&amp;q=anna"');
  const answer = await harness.visit('/console/audit.csv?view=people', session);
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename=audit.csv');
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  const [head, forgotten, stopped, ...rest] = bytes.toString().slice(1).split('\r\n');
  expect(head).toBe('at,what,code,by,why,account,invoice,subscription,customer');
  expect(forgotten).toBe(
    '2026-03-02T10:00:00Z,A customer was forgotten,customer.forgotten,"ben, api",asked for it,own,,,cus_9',
  );
  expect(stopped).toContain(
    `operator.stopped,"anna, console","'=HYPERLINK(""the customer called"")",own,in_1,`,
  );
  expect(rest).toEqual(['']);
});
