/** Who gets into the console, for how long, and what other sites can make a browser do. */
import { FOREIGN_FORMS, FROM_OUR_PAGE } from '../../support/foreign-forms.ts';
import { type ConsoleHarness, PASSWORD, startConsole, tokenIn } from './console-harness.ts';

let harness: ConsoleHarness;
beforeAll(async () => {
  harness = await startConsole();
});
afterAll(() => harness?.stop());

const PAGES = ['/console', '/console/', '/console/timing', '/console/invoices/in_1', '/console/nothing'];
const statusWith = async (headers: Record<string, string>, on = harness) =>
  (await on.visit('/console', headers)).status;
const loginToken = async () => tokenIn(await (await harness.visit('/console/login')).text());

test.each(PAGES)('%s sends whoever is not signed in to sign in, and tells nothing', async (path) => {
  const answer = await harness.visit(path);
  expect(answer.status).toBe(303);
  const target = new URL(answer.headers.get('location') ?? '', `${harness.url}${path}`);
  expect(target.pathname).toBe('/console/login');
  expect(await answer.text()).not.toContain('in_1</');
});

test('the password opens every page, until twelve hours have passed', async () => {
  const { clock } = harness;
  const session = await harness.signIn();
  expect(await statusWith(session)).toBe(200);
  const begun = clock.now();
  await clock.set(begun.plus({ hours: 11, minutes: 59 }));
  expect(await statusWith(session)).toBe(200);
  await clock.set(begun.plus({ hours: 12 }));
  expect(await statusWith(session)).toBe(303);
});

test('the cookie is for the console alone, for no script and for no other site', async () => {
  const token = await loginToken();
  const answer = await harness.submit('/console/login', { token, password: PASSWORD });
  expect(answer.status).toBe(303);
  expect(new URL(answer.headers.get('location') ?? '', `${harness.url}/console/login`).pathname).toBe(
    '/console/',
  );
  const cookie = answer.headers.get('set-cookie') ?? '';
  // Without a Path it is the folder of /console/login (RFC 6265, 5.1.4); the browser's test sees the same.
  expect(cookie).toMatch(
    /^payment_retry_console=\d+\.[\w-]{22}\.[\w-]{43}; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
});

test.each([
  ['https', '; Secure'],
  ['http', ''],
])('behind a trusted proxy that was asked over %s the cookie ends in "%s"', async (protocol, ending) => {
  const proxied = await startConsole({ shared: harness, trustProxy: true });
  const headers = { 'x-forwarded-proto': protocol, ...FROM_OUR_PAGE };
  const token = await loginToken();
  const answer = await proxied.submit('/console/login', { token, password: PASSWORD }, headers);
  await proxied.stop();
  expect(answer.headers.get('set-cookie')?.endsWith(`SameSite=Strict${ending}`)).toBe(true);
});

test('without a trusted proxy its headers change nothing', async () => {
  const headers = { 'x-forwarded-proto': 'https', ...FROM_OUR_PAGE };
  const answer = await harness.submit(
    '/console/login',
    { token: await loginToken(), password: PASSWORD },
    headers,
  );
  expect(answer.headers.get('set-cookie')).not.toContain('Secure');
});

test.each([
  ['another one', 'wrong'],
  ['none', ''],
  ['a part of it', PASSWORD.slice(0, -1)],
  ['more than it', `${PASSWORD} `],
])('a password that is %s opens nothing, and is not logged', async (_name, password) => {
  const answer = await harness.submit('/console/login', { token: await loginToken(), password });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(await answer.text()).toContain('role="alert">That is not the password.');
  expect(harness.logLines.join('')).not.toContain(PASSWORD.slice(0, -1));
});

test('sessions hold in another process, and end with the password or the Stripe key', async () => {
  const session = await harness.signIn();
  const settings = [{}, { consolePassword: 'another password' }, { stripeSecretKey: 'sk_test_2' }];
  const statuses: number[] = [];
  for (const one of settings) {
    const other = await startConsole({ shared: harness, settings: one });
    statuses.push(await statusWith(session, other));
    await other.stop();
  }
  expect(statuses).toEqual([200, 303, 303]);
});

const NAME = 'payment_retry_console';
test.each([
  ['nothing', () => ''],
  ['words', () => 'let me in'],
  ['a later end', ([end, ...rest]: string[]) => [Number(end) + 1, ...rest].join('.')],
  ['no signature', ([end, nonce]: string[]) => `${end}.${nonce}.`],
  ['a signature of nothing', ([end, nonce]: string[]) => `${end}.${nonce}.${'A'.repeat(43)}`],
  ['more behind it', (parts: string[]) => `${parts.join('.')}.x`],
  ['a megabyte, nearly', () => 'x'.repeat(7000)],
])('a cookie of %s opens nothing', async (_name, change) => {
  const { cookie } = await harness.signIn();
  const parts = cookie.slice(NAME.length + 1).split('.');
  expect(await statusWith({ cookie: `${NAME}=${change(parts)}` })).toBe(303);
  expect(await statusWith({ cookie: `${NAME}=old; other=1; ${NAME}=${parts.join('.')}` })).toBe(200);
});

test.each(FOREIGN_FORMS)('a form from %s neither signs in nor out', async (_name, headers, fields) => {
  const form = { token: await loginToken(), password: PASSWORD, ...fields };
  const signIn = await harness.submit('/console/login', form, headers);
  expect([signIn.status, signIn.headers.get('set-cookie')]).toEqual([403, null]);
  const session = await harness.signIn();
  const token = tokenIn(await (await harness.visit('/console', session)).text());
  const signOut = await harness.submit('/console/logout', { token, ...fields }, { ...session, ...headers });
  expect([signOut.status, signOut.headers.get('set-cookie')]).toEqual([403, null]);
});

test("one session's form does not fit another, nor the form to sign in", async () => {
  const [mine, other] = [await harness.signIn(), await harness.signIn()];
  const foreign = tokenIn(await (await harness.visit('/console', other)).text());
  for (const token of [foreign, await loginToken()]) {
    const answer = await harness.submit('/console/logout', { token }, { ...mine, ...FROM_OUR_PAGE });
    expect(answer.status).toBe(403);
  }
});

test('signing out takes the cookie away', async () => {
  const session = await harness.signIn();
  const token = tokenIn(await (await harness.visit('/console/timing', session)).text());
  const answer = await harness.submit('/console/logout', { token }, { ...session, ...FROM_OUR_PAGE });
  expect(answer.status).toBe(303);
  expect(answer.headers.get('set-cookie')).toMatch(/^payment_retry_console=; Max-Age=0;/);
  const again = await harness.submit('/console/logout', { token: '' });
  expect(again.status).toBe(303);
});

test('a form of yesterday signs in, an older one does not', async () => {
  const old = await loginToken();
  const begun = harness.clock.now();
  await harness.clock.set(begun.plus({ days: 1 }).endOf('day'));
  expect((await harness.submit('/console/login', { token: old, password: PASSWORD })).status).toBe(303);
  await harness.clock.set(begun.plus({ days: 2 }).startOf('day'));
  expect((await harness.submit('/console/login', { token: old, password: PASSWORD })).status).toBe(403);
});

test.each([
  ['/console/invoices/in_1Abc', '/console/invoices/in_1Abc'],
  ['/console/timing?x=1', '/console/timing'],
  ['/console/nothing', '/console/'],
  ['/console/invoices/%2F%2Fevil.example', '/console/'],
])('after signing in, whoever wanted %s comes to %s', async (wanted, place) => {
  const asked = await harness.visit(wanted);
  const login = new URL(asked.headers.get('location') ?? '', `${harness.url}${wanted}`);
  const form = { token: await loginToken(), password: PASSWORD };
  const answer = await harness.submit(`${login.pathname}${login.search}`, form);
  expect(new URL(answer.headers.get('location') ?? '', login).href).toBe(`${harness.url}${place}`);
});

test.each(['//evil.example', 'https://evil.example', '../../x', 'timing/../../x', 'invoices/in_1/../..', ''])(
  'a link to sign in cannot lead to %s',
  async (to) => {
    const form = { token: await loginToken(), password: PASSWORD };
    const answer = await harness.submit(`/console/login?to=${encodeURIComponent(to)}`, form);
    expect(answer.headers.get('location')).toBe('./');
  },
);

test('whoever is signed in is not asked again', async () => {
  const answer = await harness.visit('/console/login', await harness.signIn());
  expect([answer.status, answer.headers.get('location')]).toEqual([303, './']);
});

test('a browser that comes from another site and keeps the cookie back is asked once more', async () => {
  const answer = await harness.visit('/console/timing', { 'sec-fetch-site': 'cross-site' });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('<meta http-equiv="refresh" content="0"/>');
});

test('guesses are limited, for each address', async () => {
  const guessed = await startConsole({ shared: harness, trustProxy: true });
  const token = await loginToken();
  const guess = (password: string, from: string) =>
    guessed.submit('/console/login', { token, password }, { ...FROM_OUR_PAGE, 'x-forwarded-for': from });
  const statuses: number[] = [];
  for (let count = 0; count < 20; count += 1)
    statuses.push((await guess(`guess ${count}`, '203.0.113.7')).status);
  expect(new Set(statuses)).toEqual(new Set([401]));
  const late = await guess(PASSWORD, '203.0.113.7');
  expect([late.status, late.headers.get('set-cookie')]).toEqual([429, null]);
  expect(await late.text()).toContain('wait five minutes');
  expect((await guess(PASSWORD, '203.0.113.8')).status).toBe(303);
  await guessed.stop();
});

test('a form that is too large, and one that is none, are no error of ours', async () => {
  const large = await harness.submit('/console/login', { junk: 'x'.repeat(20_000) });
  expect([large.status, large.headers.get('content-type')]).toEqual([413, 'text/html; charset=utf-8']);
  const json = await fetch(`${harness.url}/console/login`, {
    method: 'POST',
    headers: { ...FROM_OUR_PAGE, 'content-type': 'application/json' },
    body: JSON.stringify({ token: await loginToken(), password: PASSWORD }),
  });
  expect(json.status).toBe(403);
});

test('without a password nothing is there', async () => {
  const closed = await startConsole({ shared: harness, settings: { consolePassword: undefined } });
  for (const path of [...PAGES, '/console/login', '/elsewhere']) {
    const answer = await closed.visit(path);
    expect([answer.status, await answer.json()]).toEqual([404, { nothing: 'here' }]);
    expect(answer.headers.get('content-security-policy')).toBeNull();
  }
  await closed.stop();
});
