/** The page of API keys, as a browser and as others use it. */
import { listApiKeys } from '../../../src/service/store/api-keys-made.ts';
import { FOREIGN_FORMS, FROM_OUR_PAGE } from '../../support/http/foreign-forms.ts';
import { captureLog } from '../../support/log-lines.ts';
import { API_KEY, type Harness, startHarness } from '../service-harness.ts';

const PASSWORD = 'correct horse: battery staple';
const OPERATOR = { name: 'operator', secret: { kind: 'plain', password: PASSWORD } } as const;
let signedIn = { cookie: '' };

const { logger, lines } = captureLog();
let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ logger, operators: [OPERATOR] });
});
beforeEach(async () => {
  await harness.database.exec(
    `delete from retry_service.api_keys where made_by = 'person'; delete from retry_service.guesses`,
  );
  await harness.clear();
  signedIn = await signIn();
});
afterAll(() => harness?.stop());

const open = (headers: Record<string, string> = signedIn) =>
  fetch(`${harness.url}/org/api_keys`, { headers, redirect: 'manual' });
const tryToSignIn = async (password: string) => {
  const token = fieldOf(await (await fetch(`${harness.url}/org/login`)).text(), 'token');
  return fetch(`${harness.url}/org/login?to=api_keys`, {
    method: 'POST',
    headers: FROM_OUR_PAGE,
    body: new URLSearchParams({ token, password }),
    redirect: 'manual',
  });
};
const signIn = async () => {
  const answer = await tryToSignIn(PASSWORD);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, './api_keys']);
  return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
};
const read = async () => (await open()).text();
const submit = (fields: Record<string, string>, headers: Record<string, string> = FROM_OUR_PAGE) =>
  fetch(`${harness.url}/org/api_keys`, {
    method: 'POST',
    headers: { ...signedIn, ...headers },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
const fieldOf = (page: string, name: string, after = '') =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page.slice(page.indexOf(after)))?.[1] ?? '';
const freshForm = async () => {
  const page = await read();
  return {
    do: 'create',
    token: fieldOf(page, 'token'),
    id: fieldOf(page, 'id', 'value="create"'),
    organization: 'default',
    name: 'the <b>warehouse</b> & co',
  };
};
const secretIn = (page: string) => /<code class="secret">(spr_[\w-]{43})</.exec(page)?.[1];
const ask = async (secret: string) =>
  (await harness.get('/v1/recovery_actions', { authorization: `Bearer ${secret}` })).status;
const countKeys = async () => (await listApiKeys(harness.database)).length;

test('is shown to whoever is signed in, and kept by nobody', async () => {
  const answer = await open();
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(
    /^default-src 'none';style-src( 'sha256-[^']+'){2};form-action 'self';frame-ancestors 'none'/,
  );
  expect(policy).not.toContain('unsafe');
  expect(await answer.text()).toContain('made by the package');
});

test.each([
  ['nothing', {}, ''],
  ['an API key', { authorization: `Bearer ${API_KEY}` }, ''],
  [
    'the password as Basic',
    { authorization: `Basic ${Buffer.from(`anna:${PASSWORD}`).toString('base64')}` },
    '',
  ],
  ['a session that is over', { cookie: `payment_retry_session=${'x'.repeat(43)}` }, '&over=yes'],
])('sends whoever shows %s to sign in', async (_name, headers, why) => {
  const answer = await open(headers);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `./login?to=api_keys${why}`]);
  expect(answer.headers.get('www-authenticate')).toBeNull();
  expect(await answer.text()).not.toContain('key_');
});

test.each(['rotate', 'revoke', 'change'])(
  'the id of a key to %s with a NUL in it is a mistake of the form',
  async (what) => {
    const { token } = await freshForm();
    const answer = await submit({ do: what, token, id: 'key_\u0000', name: 'a' });
    expect(answer.status).toBe(400);
  },
);

test('signing out ends the session of the page of keys', async () => {
  const token = fieldOf(await read(), 'token');
  const answer = await fetch(`${harness.url}/org/logout`, {
    method: 'POST',
    headers: { ...signedIn, ...FROM_OUR_PAGE },
    body: new URLSearchParams({ token }),
    redirect: 'manual',
  });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, './login']);
  expect((await open()).status).toBe(303);
});

test('a key is made, its secret shown once and logged never, but who made it', async () => {
  const answer = await submit({ ...(await freshForm()), limit: '' });
  expect(answer.status).toBe(200);
  const page = await answer.text();
  const secret = secretIn(page) ?? '';
  expect(await ask(secret)).toBe(200);
  expect(page).toContain('the &lt;b>warehouse&lt;/b> &amp; co');
  expect(page).not.toContain('<b>');
  expect(await read()).not.toContain(secret);
  expect(await read()).toContain(`…${secret.slice(-4)}`);
  expect(lines.join('')).not.toContain(secret);
  expect(lines.join('')).not.toContain(PASSWORD);
  expect(lines.join('')).toMatch(/"by":"operator","msg":"an API key was made"/);
});

test('a form that is sent twice makes one key, and shows its secret once', async () => {
  const form = await freshForm();
  const first = secretIn(await (await submit(form)).text()) ?? '';
  const again = await submit(form);
  expect(again.status).toBe(400);
  const page = await again.text();
  expect(page).toContain('made already');
  expect(page).not.toContain(first);
  expect(secretIn(page)).toBeUndefined();
  expect(await countKeys()).toBe(2);
});

test('a key is rotated with a grace time, renamed and revoked', async () => {
  const form = await freshForm();
  const old = secretIn(await (await submit(form)).text()) ?? '';
  const { token, id } = form;
  const rotated = await (await submit({ do: 'rotate', token, id, grace: '1' })).text();
  const fresh = secretIn(rotated) ?? '';
  expect(rotated).toContain(`${id} stays good until <time datetime="2026-03-02T15:30:00.000Z">`);
  expect([await ask(old), await ask(fresh)]).toEqual([200, 200]);
  const newId = (await listApiKeys(harness.database)).find((key) => key.hint === fresh.slice(-4))?.id ?? '';
  const renamed = await (
    await submit({ do: 'change', token, id: newId, name: 'the shop', limit: '9' })
  ).text();
  expect(renamed).toContain('<h3>the shop</h3>');
  expect(renamed).toContain('9 requests a second');
  expect((await submit({ do: 'revoke', token, id: newId })).status).toBe(200);
  expect([await ask(old), await ask(fresh)]).toEqual([200, 401]);
});

test('a key is ended only with the password shown just before', async () => {
  const form = await freshForm();
  const secret = secretIn(await (await submit(form)).text()) ?? '';
  await harness.clock.set(harness.clock.now().plus({ minutes: 11 }));
  for (const what of ['rotate', 'revoke']) {
    const answer = await submit({ do: what, token: form.token, id: form.id, grace: '0' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, './login?again&to=api_keys']);
  }
  expect(await ask(secret)).toBe(200);
  signedIn = await signIn();
  const { token } = await freshForm();
  expect((await submit({ do: 'revoke', token, id: form.id })).status).toBe(200);
  expect(await ask(secret)).toBe(401);
});

test("the package's key has no button to end it, and no form ends it either", async () => {
  const page = await read();
  expect(page).not.toContain('value="revoke"');
  const [own] = await listApiKeys(harness.database);
  const answer = await submit({ do: 'revoke', token: fieldOf(page, 'token'), id: own?.id ?? '' });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('would make it again at the next start');
  expect(await ask(API_KEY)).toBe(200);
});

test.each(FOREIGN_FORMS)('a form from %s changes nothing', async (_name, headers, fields) => {
  const answer = await submit({ ...(await freshForm()), ...fields }, headers);
  expect(answer.status).toBe(403);
  expect(await countKeys()).toBe(1);
});

test('a form of an old browser, which sends its origin alone, is taken', async () => {
  const answer = await submit(await freshForm(), { origin: harness.url });
  expect(answer.status).toBe(200);
});

test('the form of a session that has ended changes nothing', async () => {
  const form = await freshForm();
  await harness.clock.set(harness.clock.now().plus({ hours: 12 }));
  expect((await submit(form)).status).toBe(303);
  signedIn = await signIn();
  expect((await submit(form)).status).toBe(403);
  expect(await countKeys()).toBe(1);
});

test.each([
  ['no name', { name: '' }, 'name: 1 to 100'],
  ['a limit of nothing', { limit: '0' }, 'limit: a whole number'],
  ['a limit in words', { limit: 'many' }, 'limit: a whole number'],
  ['an id of its own making', { id: 'key_<script>' }, 'is not an id of a key'],
  ['an organization that is not there', { organization: 'nobody' }, 'There is no organization nobody'],
  ['an unknown wish', { do: 'destroy' }, 'Invalid'],
])('a form with %s is refused in words', async (_name, fields, words) => {
  const answer = await submit({ ...(await freshForm()), ...fields });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(words);
  expect(await countKeys()).toBe(1);
});

test('a body that is no form, and one that is too large, are no error of ours', async () => {
  expect((await submit({ junk: 'x'.repeat(20_000) })).status).toBe(413);
  const json = await fetch(`${harness.url}/org/api_keys`, {
    method: 'POST',
    headers: { ...signedIn, 'content-type': 'application/json' },
    body: '{"do":"create"}',
  });
  expect(json.status).toBe(403);
});

test('there is no page without operators, and guesses are limited with one', async () => {
  const closed = await startHarness();
  try {
    const answer = await closed.get('/org/api_keys', signedIn);
    expect(answer).toMatchObject({ status: 404, body: { success: false } });
    expect(answer.headers.get('www-authenticate')).toBeNull();
  } finally {
    await closed.stop();
  }
  const statuses: number[] = [];
  for (let guess = 0; guess < 25; guess += 1) statuses.push((await tryToSignIn(`guess ${guess}`)).status);
  expect(statuses.at(-1)).toBe(429);
});
