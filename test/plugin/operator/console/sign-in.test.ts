/** Who gets into the console, for how long, and what other sites can make a browser do. */
import { createHash } from 'node:crypto';
import { FOREIGN_FORMS, FROM_OUR_PAGE } from '../../../support/http/foreign-forms.ts';
import { type ConsoleHarness, PASSWORD, startConsole, tokenIn } from './console-harness.ts';

let harness: ConsoleHarness;
beforeAll(async () => {
  harness = await startConsole();
});
beforeEach(() => harness.database.exec('delete from payment_retry.guesses'));
afterAll(() => harness?.stop());

const PAGES = ['/console', '/console/', '/console/timing', '/console/invoices/in_1', '/console/nothing'];
/** Of what takes the least to answer. */
const statusWith = async (headers: Record<string, string>, on = harness) =>
  (await on.visit('/console/invoices.csv', headers)).status;
const loginToken = async () => tokenIn(await (await harness.visit('/console/login')).text());

test.each(PAGES)('%s sends whoever is not signed in to sign in, and shows nothing', async (path) => {
  const answer = await harness.visit(path);
  expect(answer.status).toBe(303);
  const target = new URL(answer.headers.get('location') ?? '', `${harness.url}${path}`);
  expect(target.pathname).toBe('/console/login');
  expect(await answer.text()).not.toContain('in_1</');
});

test('the password opens every page, until it was not used for twelve hours', async () => {
  const { clock } = harness;
  const session = await harness.signIn();
  await clock.set(clock.now().plus({ hours: 11, minutes: 59 }));
  expect(await statusWith(session)).toBe(200);
  await clock.set(clock.now().plus({ hours: 11, minutes: 59 }));
  expect(await statusWith(session)).toBe(200);
  await clock.set(clock.now().plus({ hours: 12 }));
  expect(await statusWith(session)).toBe(303);
});

test('after seven days everybody signs in again, however busy', async () => {
  const { clock } = harness;
  const session = await harness.signIn();
  const end = clock.now().plus({ days: 7 });
  for (let at = clock.now(); at < end; at = at.plus({ hours: 11 })) {
    await clock.set(at);
    expect(await statusWith(session)).toBe(200);
  }
  await clock.set(end);
  expect(await statusWith(session)).toBe(303);
});

test('the cookie is for no script and no other site, and no copy of it is stored', async () => {
  const token = await loginToken();
  const answer = await harness.submit('/console/login', { token, password: PASSWORD });
  expect(answer.status).toBe(303);
  expect(new URL(answer.headers.get('location') ?? '', `${harness.url}/console/login`).pathname).toBe(
    '/console/',
  );
  const cookie = answer.headers.get('set-cookie') ?? '';
  // Without a Path it is the folder of /console/login (RFC 6265, 5.1.4); the browser's test sees the same.
  expect(cookie).toMatch(/^payment_retry_session=[\w-]{43}; Max-Age=604800; HttpOnly; SameSite=Lax$/);
  const rows = JSON.stringify(await harness.database.query('select * from payment_retry.sessions'));
  expect(rows).toContain('operator');
  expect(rows).not.toContain(cookie.split(/[=;]/)[1]);
});

const SECURE =
  /^__Host-payment_retry_session=[\w-]{43}; Max-Age=604800; HttpOnly; SameSite=Lax; Path=\/; Secure$/;
const PLAIN = /^payment_retry_session=[\w-]{43}; Max-Age=604800; HttpOnly; SameSite=Lax$/;
test.each([
  ['https', 'http://localhost:8080', SECURE],
  ['http', 'http://localhost:8080', PLAIN],
  ['http', 'https://retry.example', SECURE],
])('asked over %s with PUBLIC_URL %s the cookie is %s', async (protocol, publicUrl, form) => {
  const proxied = await startConsole({ shared: harness, trustProxy: true, settings: { publicUrl } });
  const headers = { 'x-forwarded-proto': protocol, ...FROM_OUR_PAGE };
  const token = await loginToken();
  const answer = await proxied.submit('/console/login', { token, password: PASSWORD }, headers);
  const cookie = answer.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(form);
  const [pair = ''] = cookie.split(';');
  expect(await statusWith({ 'x-forwarded-proto': protocol, cookie: pair }, proxied)).toBe(200);
  await proxied.stop();
});

test('without a trusted proxy its headers change nothing', async () => {
  const headers = { 'x-forwarded-proto': 'https', ...FROM_OUR_PAGE };
  const form = { token: await loginToken(), password: PASSWORD };
  const answer = await harness.submit('/console/login', form, headers);
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
  const settings = [
    {},
    { consolePassword: 'another password of the operator' },
    { stripeSecretKey: 'sk_test_2' },
  ];
  const statuses: number[] = [];
  for (const one of settings) {
    const other = await startConsole({ shared: harness, settings: one });
    statuses.push(await statusWith(session, other));
    await other.stop();
  }
  expect(statuses).toEqual([200, 303, 303]);
});

describe('with one session', () => {
  const NAME = 'payment_retry_session';
  let kept: { cookie: string };
  beforeAll(async () => {
    kept = await harness.signIn();
  });

  test.each([
    ['nothing', () => ''],
    ['words', () => 'let me in'],
    ['another id', (id: string) => id.replace(/./, (first) => (first === 'A' ? 'B' : 'A'))],
    ['a part of it', (id: string) => id.slice(1)],
    ['more behind it', (id: string) => `${id}x`],
    ['its hash', (id: string) => createHash('sha256').update(id).digest('hex')],
    ['a megabyte, nearly', () => 'x'.repeat(7000)],
  ])('a cookie of %s opens nothing', async (_name, change) => {
    const id = kept.cookie.slice(NAME.length + 1);
    expect(await statusWith({ cookie: `${NAME}=${change(id)}` })).toBe(303);
    expect(await statusWith({ cookie: `${NAME}=old; other=1; ${kept.cookie}` })).toBe(200);
  });

  test.each(FOREIGN_FORMS)('a form from %s neither signs in nor out', async (_name, headers, fields) => {
    const form = { token: await loginToken(), password: PASSWORD, ...fields };
    const signIn = await harness.submit('/console/login', form, headers);
    expect([signIn.status, signIn.headers.get('set-cookie')]).toEqual([403, null]);
    const token = tokenIn(await (await harness.visit('/console', kept)).text());
    const signOut = await harness.submit('/console/logout', { token, ...fields }, { ...kept, ...headers });
    expect([signOut.status, signOut.headers.get('set-cookie')]).toEqual([403, null]);
  });
});

test("one session's form does not fit another, nor the form to sign in", async () => {
  const [mine, other] = [await harness.signIn(), await harness.signIn()];
  const foreign = tokenIn(await (await harness.visit('/console', other)).text());
  for (const token of [foreign, await loginToken()]) {
    const answer = await harness.submit('/console/logout', { token }, { ...mine, ...FROM_OUR_PAGE });
    expect(answer.status).toBe(403);
  }
});

test('signing out ends the session, in every process and for every copy of the cookie', async () => {
  const [session, kept] = [await harness.signIn(), await harness.signIn()];
  const token = tokenIn(await (await harness.visit('/console/timing', session)).text());
  const answer = await harness.submit('/console/logout', { token }, { ...session, ...FROM_OUR_PAGE });
  expect(answer.status).toBe(303);
  expect(answer.headers.get('set-cookie')).toMatch(/^payment_retry_session=; Max-Age=0;/);
  const other = await startConsole({ shared: harness });
  const statuses = [
    await statusWith(session),
    await statusWith(session, other),
    await statusWith(kept, other),
  ];
  await other.stop();
  expect(statuses).toEqual([303, 303, 200]);
  const again = await harness.submit('/console/logout', { token: '' });
  expect(again.status).toBe(303);
});

test('signing in gives a new id and ends the session before it', async () => {
  const first = await harness.signIn();
  const token = await loginToken();
  const headers = { ...first, ...FROM_OUR_PAGE };
  const answer = await harness.submit('/console/login', { token, password: PASSWORD }, headers);
  const second = { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
  expect(second.cookie).not.toBe(first.cookie);
  expect([await statusWith(first), await statusWith(second)]).toEqual([303, 200]);
});

test('sessions that are over are removed in small steps', async () => {
  const count = async () => (await harness.database.query('select 1 from payment_retry.sessions')).length;
  await harness.database.query(
    `insert into payment_retry.sessions (id_hash, name, access, created_at, seen_at)
     select 'old ' || n, 'x', 'x', $1, $1 from generate_series(1, 150) as n`,
    [harness.clock.now().minus({ days: 8 }).toISO()],
  );
  const before = await count();
  await harness.signIn();
  expect(await count()).toBe(before - 99);
  await harness.signIn();
  await harness.signIn();
  expect(await count()).toBeLessThan(before - 145);
});

describe('with several operators', () => {
  /** Of 'anna has a password', with the least figures that are taken: `hash-password` asks for six times the work. */
  const HASH = 'scrypt:14:8:1:c2FsdC1vZi1hLXRlc3QtYg:8PL0995sGtm7MAfCN3COob50-4MY0NAiH9oJUDmNuH4';
  let several: ConsoleHarness;
  beforeAll(async () => {
    several = await startConsole({ shared: harness, settings: { consoleUsers: `Anna:${HASH}` } });
  });
  afterAll(() => several.stop());

  test('each operator signs in with a name of their own, which the page and the log show', async () => {
    const session = await several.signIn('anna has a password', 'anna');
    const page = await (await several.visit('/console', session)).text();
    expect(page).toContain('Anna, administrator');
    expect(several.logLines.join('')).toContain('"operator":"Anna"');
    expect(await statusWith(await several.signIn(PASSWORD, 'operator'), several)).toBe(200);
  });

  test.each([
    ["another's password", 'anna', PASSWORD],
    ['a name that nobody has', 'ben', 'anna has a password'],
    ['no name', '', 'anna has a password'],
    ['the hash for a password', 'anna', 'scrypt'],
  ])('%s opens nothing, and the answer does not say which was wrong', async (_what, username, password) => {
    const given = password === 'scrypt' ? HASH : password;
    const token = tokenIn(await (await several.visit('/console/login')).text());
    const answer = await several.submit('/console/login', { token, username, password: given });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null]);
    expect(await answer.text()).toContain('The name or the password is wrong.');
  });

  test('an operator who is taken out of the settings is signed out, and nobody else', async () => {
    const anna = await several.signIn('anna has a password', 'anna');
    const operator = await several.signIn(PASSWORD, 'operator');
    expect([await statusWith(anna), await statusWith(operator)]).toEqual([303, 200]);
  });
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
  ['/console/timing?x=1', '/console/timing?x=1'],
  [
    '/console/invoices?q=%C3%A9+a&after=2026-01-01T00%3A00%3A00.000Z%7Ein_1',
    '/console/invoices?q=%C3%A9+a&after=2026-01-01T00%3A00%3A00.000Z%7Ein_1',
  ],
  ['/console/timing?x=//evil.example', '/console/'],
  ['/console/.well-known/x', '/console/'],
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

test('guesses are limited, for each address, by all processes together', async () => {
  const guessed = await startConsole({ shared: harness, trustProxy: true });
  const other = await startConsole({ shared: harness, trustProxy: true });
  const token = await loginToken();
  const guess = (password: string, from: string, at = guessed) =>
    at.submit('/console/login', { token, password }, { ...FROM_OUR_PAGE, 'x-forwarded-for': from });
  const statuses: number[] = [];
  for (let count = 0; count < 20; count += 1)
    statuses.push((await guess(`guess ${count}`, '203.0.113.7')).status);
  expect(new Set(statuses)).toEqual(new Set([401]));
  const late = await guess(PASSWORD, '203.0.113.7');
  expect([late.status, late.headers.get('set-cookie')]).toEqual([429, null]);
  expect(await late.text()).toContain('wait five minutes');
  expect((await guess(PASSWORD, '203.0.113.7', other)).status).toBe(429);
  expect((await guess(PASSWORD, '203.0.113.8')).status).toBe(303);
  for (let count = 0; count < 20; count += 1) await guess(`guess ${count}`, `2001:db8:0:1::${count}`);
  expect((await guess(PASSWORD, '2001:db8:0:1:ffff::1')).status).toBe(429);
  expect((await guess(PASSWORD, '2001:db8:0:2::1')).status).toBe(303);
  await guessed.stop();
  await other.stop();
});

test('the audit names who signed in, out, and was turned away, and nobody fills it by guessing', async () => {
  await harness.database.query('delete from payment_retry.audit');
  await harness.clock.set(harness.clock.now().plus({ hours: 1 }));
  const session = await harness.signIn();
  const page = await (await harness.visit('/console/audit?view=sign-ins', session)).text();
  const token = await loginToken();
  const fails = async () => {
    await harness.database.exec('delete from payment_retry.guesses');
    return harness.submit('/console/login', { token, password: 'wrong' });
  };
  for (let count = 0; count < 22; count += 1) expect((await fails()).status).toBe(401);
  await harness.clock.set(harness.clock.now().plus({ hours: 1 }));
  await fails();
  const shown = await (await harness.visit('/console/audit?view=sign-ins', session)).text();
  expect(shown).toMatch(/A sign-in to the console failed<.*from 127\.0\.0\.1; 2 more before it/s);
  await harness.submit('/console/logout', { token: tokenIn(page) }, { ...session, ...FROM_OUR_PAGE });
  const rows = await harness.database.query<{ kind: string; by: string | null; count: number }>(
    `select kind, detail->>'by' as by, count(*) as count from payment_retry.audit group by kind, by order by kind`,
  );
  expect(rows).toEqual([
    { kind: 'operator.sign_in_failed', by: null, count: 21 },
    { kind: 'operator.signed_in', by: 'operator', count: 1 },
    { kind: 'operator.signed_out', by: 'operator', count: 1 },
  ]);
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
