/** What each role may do, and what is asked for again before nothing brings it back. */
import { Secret, TOTP } from 'otpauth';
import { OPERATION_NAMES, operationOf } from '../../../../src/plugin/operator/operations/operations.ts';
import {
  type ConsoleHarness,
  NOW,
  PASSWORD,
  PASSWORD_HASH,
  startConsole,
  tokenIn,
} from './console-harness.ts';
import { insertFailedInvoice } from './failure-rows.ts';

const SECRET = new Secret({ size: 20 });
let harness: ConsoleHarness;
beforeAll(async () => {
  const entry = (name: string, role: string) => `${name}:${role}:${PASSWORD_HASH}`;
  const users = [
    entry('rita', 'reader'),
    entry('olga', 'operator'),
    entry('anna', 'administrator'),
    `${entry('tom', 'operator')}:totp:${SECRET.base32}`,
  ];
  harness = await startConsole({ settings: { consolePassword: undefined, consoleUsers: users.join() } });
});
beforeEach(async () => {
  await harness.clear();
  await harness.clock.set(NOW);
  await insertFailedInvoice(harness.database, { id: 'in_1', at: NOW.minus({ days: 1 }) });
});
afterAll(() => harness?.stop());

async function signIn(
  username: string,
  code = '',
): Promise<{ status: number; cookie: string; text: string }> {
  const token = tokenIn(await (await harness.visit('/console/login')).text());
  const fields = { token, username, password: PASSWORD, code };
  const answer = await harness.submit('/console/login', fields);
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { status: answer.status, cookie, text: await answer.text() };
}

/** What a page offers, and what comes of two operations, whatever it offers. */
async function tryAll(cookie: string) {
  const page = await (await harness.visit('/console/invoices/in_1', { cookie })).text();
  const token = tokenIn(page);
  const send = (name: string, fields: Record<string, string>) =>
    harness.submit(
      `/console/operations/${name}`,
      { token, back: 'invoices/in_1', ...fields },
      { cookie, 'sec-fetch-site': 'same-origin' },
    );
  const invoice = { invoice: 'in_1', account: 'own' };
  const statuses = [
    (await send('stop', { ...invoice, reason: 'called' })).status,
    (await send('pause', { reason: 'wrong prices' })).status,
  ];
  return { page, send, statuses };
}

test('a reader sees all and changes nothing, an operator works, an administrator rules: each on the same page', async () => {
  const [rita, olga, anna] = await Promise.all([signIn('rita'), signIn('olga'), signIn('anna')]);
  // In this order: what one stopped, the page of the next does not offer to stop.
  const reader = await tryAll(rita.cookie);
  const operator = await tryAll(olga.cookie);
  const administrator = await tryAll(anna.cookie);
  expect(reader.page).toContain('rita, reader');
  expect(reader.page).not.toContain('operations/');
  expect(reader.statuses).toEqual([403, 403]);
  expect(operator.page).toContain('operations/stop');
  expect(operator.page).not.toContain('operations/forget');
  expect(operator.statuses).toEqual([200, 403]);
  expect(administrator.statuses).toEqual([200, 200]);
  // What undoes takes the role of what it undoes.
  const [paused] = await harness.database.query<{ id: number }>(
    `select id from payment_retry.audit where kind = 'effects.paused'`,
  );
  const undone = async (who: typeof operator) =>
    (await who.send('undo', { line: String(paused?.id) })).status;
  expect([await undone(reader), await undone(operator), await undone(administrator)]).toEqual([
    403, 403, 200,
  ]);
  const by = await harness.database.query<{ by: string }>(
    `select detail->>'by' as by from payment_retry.audit where kind in ('operator.stopped', 'effects.paused')`,
  );
  expect(by.map((row) => row.by)).not.toContain('rita');
});

test('whoever forgets a customer has signed in just before, or signs in once more', async () => {
  const { cookie } = await signIn('anna');
  const forget = { customer: 'cus_in_1', account: 'own' };
  await harness.clock.set(NOW.plus({ minutes: 11 }));
  const { send } = await tryAll(cookie);
  const asked = await send('forget', forget);
  // With what was entered, so that it is there again.
  const to = encodeURIComponent('invoices/in_1?customer=cus_in_1&account=own&do=forget');
  expect([asked.status, asked.headers.get('location')]).toEqual([303, `../login?again&to=${to}`]);
  const form = await (await harness.visit(`/console/login?again&to=${to}`, { cookie })).text();
  expect(form).toContain('What comes next cannot be undone.');
  expect(form).toContain(`action="login?again&amp;to=${to}"`);
  const again = await tryAll((await signIn('anna')).cookie);
  expect((await again.send('forget', { ...forget, typed: 'cus_in_1' })).status).toBe(200);
});

const FINAL = OPERATION_NAMES.filter((name) => operationOf(name).isFinal && operationOf(name).form);

test('what nothing takes back is asked for with the password again, on every form, for one row or several', async () => {
  expect(FINAL).toEqual(['retry', 'sendEmailAgain', 'forget']);
  const { cookie } = await signIn('anna');
  await harness.clock.set(NOW.plus({ minutes: 11 }));
  const { send, statuses } = await tryAll(cookie);
  expect(statuses).toEqual([200, 200]);
  for (const name of FINAL) {
    const { status, headers } = await send(name, { invoice: 'in_1', account: 'own', reason: 'called' });
    const to = encodeURIComponent(`invoices/in_1?invoice=in_1&account=own&reason=called&do=${name}`);
    expect([status, headers.get('location')]).toEqual([303, `../login?again&to=${to}`]);
  }
  const blocked = { at: NOW.minus({ days: 2 }), reason: 'merchant_blacklist' };
  for (const id of ['in_2', 'in_3']) await insertFailedInvoice(harness.database, { id, ...blocked });
  const several = await send('retry/several', { rows: 'own in_2', back: 'needs', reason: 'called' });
  const place = 'needs?rows=own+in_2&reason=called&do=retry';
  expect(several.headers.get('location')).toBe(`../../login?again&to=${encodeURIComponent(place)}`);
  // What was chosen is there again.
  const list = await (await harness.visit(`/console/${place}`, { cookie })).text();
  expect(list).toMatch(/value="own in_2" checked/);
  expect(list).toContain('value="own in_3"');
  expect(list).not.toMatch(/value="own in_3" checked/);
  // Who stopped an invoice has decided.
  expect(list).not.toContain('value="own in_1"');
  expect(list).toContain('<details class="act" name="act" open>');
});

test('an operator with an authenticator shows a code next to the password, each once', async () => {
  const codeAt = (seconds: number) =>
    new TOTP({ secret: SECRET }).generate({ timestamp: NOW.plus({ seconds }).toMillis() });
  expect(await signIn('tom')).toMatchObject({ status: 401, text: expect.stringContaining('or the code') });
  expect((await signIn('tom', codeAt(3600))).status).toBe(401);
  expect((await signIn('tom', codeAt(0))).status).toBe(303);
  expect((await signIn('tom', codeAt(0))).status).toBe(401);
  expect((await signIn('tom', codeAt(30).replace(/(...)/, '$1 '))).status).toBe(303);
  // Others are not asked for one.
  expect((await signIn('olga')).status).toBe(303);
});
