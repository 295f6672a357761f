/** Signing in to the console at a real OpenID Connect provider, as a browser goes there and back. */
import {
  type ConsoleHarness,
  startConsole,
  tokenIn,
} from '../../../plugin/operator/console/console-harness.ts';
import {
  CLIENT,
  type IdentityProvider,
  startIdentityProvider,
} from '../../../support/http/identity-provider.ts';

const PUBLIC_URL = 'http://localhost:8080/shop';
const CALLBACK = `${PUBLIC_URL}/console/openid-callback`;
const settings = (issuer: string) => ({
  publicUrl: PUBLIC_URL,
  consolePassword: undefined,
  oidcIssuer: issuer,
  oidcClientId: CLIENT.client_id,
  oidcClientSecret: CLIENT.client_secret,
  oidcAllowed: 'Anna@shop.example,@ops.example',
});

let provider: IdentityProvider;
let harness: ConsoleHarness;
beforeAll(async () => {
  provider = await startIdentityProvider({ redirectUris: [CALLBACK], hasClaimsInToken: true });
  harness = await startConsole({ settings: settings(provider.url) });
});
beforeEach(() => {
  provider.account = { email: 'anna@shop.example', email_verified: true };
});
afterAll(async () => {
  await harness?.stop();
  await provider?.stop();
});

/** Cookies by name, of one host. */
type Jar = Map<string, string>;

function keep(jar: Jar, answer: Response): void {
  for (const line of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') jar.delete(name);
    else jar.set(name, value);
  }
}
const cookieOf = (jar: Jar) => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
const visit = async (jar: Jar, path: string, on = harness) => {
  const answer = await on.visit(path, { cookie: cookieOf(jar) });
  keep(jar, answer);
  return answer;
};

/** Through the provider, to the address that it leads back to. */
async function goToProvider(start: URL): Promise<URL> {
  const jar: Jar = new Map();
  let at = start;
  while (at.origin === provider.url) {
    const answer = await fetch(at, { headers: { cookie: cookieOf(jar) }, redirect: 'manual' });
    keep(jar, answer);
    at = new URL(answer.headers.get('location') ?? `data:,${await answer.text()}`, at);
  }
  return at;
}

async function begin(jar: Jar, query = '', on = harness): Promise<URL> {
  const answer = await visit(jar, `/console/openid${query}`, on);
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get('location') ?? '');
}
const comeBack = (jar: Jar, back: URL, on = harness) =>
  visit(jar, `/console/openid-callback${back.search}`, on);

test('an operator signs in with a verified address, and comes to the page that was asked for', async () => {
  const jar: Jar = new Map();
  const login = await visit(jar, '/console/login?to=timing');
  const page = await login.text();
  expect(page).toContain('<a href="openid?to=timing">Sign in with 127.0.0.1');
  expect(page).not.toContain('type="password"');
  const start = await begin(jar, '?to=timing');
  expect(Object.fromEntries(start.searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    redirect_uri: CALLBACK,
    state: expect.stringMatching(/.{40}/),
    nonce: expect.stringMatching(/.{40}/),
  });
  const back = await goToProvider(start);
  expect(`${back.origin}${back.pathname}`).toBe(CALLBACK);
  const answer = await comeBack(jar, back);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, './timing']);
  expect([...jar.keys()]).toEqual(['payment_retry_session']);
  const shown = await visit(jar, '/console/timing');
  expect(await shown.text()).toContain('· anna@shop.example, ');
  const code = back.searchParams.get('code') ?? '';
  for (const secret of [CLIENT.client_secret, code, ...jar.values()])
    expect(harness.logLines.join('')).not.toContain(secret);
});

test('a provider that keeps the address out of the token is asked for it', async () => {
  const other = await startIdentityProvider({ redirectUris: [CALLBACK], hasClaimsInToken: false });
  other.account = { email: 'Ben@ops.example', email_verified: true };
  const asking = await startConsole({ shared: harness, settings: settings(other.url) });
  const first = provider;
  provider = other;
  try {
    const jar: Jar = new Map();
    const answer = await comeBack(jar, await goToProvider(await begin(jar, '', asking)), asking);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, './']);
    expect(await (await visit(jar, '/console', asking)).text()).toContain('· ben@ops.example, ');
    // What this session rests on is not in the settings of the other.
    expect((await visit(jar, '/console')).status).toBe(303);
  } finally {
    provider = first;
    await asking.stop();
    await other.stop();
  }
});

test.each([
  ['of nobody who may', { email: 'eve@elsewhere.example', email_verified: true }, 'not in OIDC_ALLOWED'],
  ['of a domain that only ends alike', { email: 'eve@notops.example', email_verified: true }, 'OIDC_ALLOWED'],
  ['that is not verified', { email: 'anna@shop.example', email_verified: false }, 'no verified email'],
  ['that is missing', {}, 'no verified email'],
])('an address %s opens nothing', async (_what, account, words) => {
  provider.account = account;
  const jar: Jar = new Map();
  const answer = await comeBack(jar, await goToProvider(await begin(jar)));
  expect([answer.status, [...jar.keys()]]).toEqual([403, []]);
  expect(await answer.text()).toContain(words);
});

test('an answer that another browser began, or that came before, opens nothing', async () => {
  const [mine, other]: [Jar, Jar] = [new Map(), new Map()];
  const back = await goToProvider(await begin(mine));
  await begin(other);
  const withoutBegin: Jar = new Map();
  for (const jar of [other, withoutBegin]) expect((await comeBack(jar, back)).status).toBe(401);
  const replayed = new Map(mine);
  expect((await comeBack(mine, back)).status).toBe(303);
  expect((await comeBack(replayed, back)).status).toBe(401);
  expect(replayed.has('payment_retry_session')).toBe(false);
});

test('what a refusal of the provider says stays out of the log', async () => {
  const jar: Jar = new Map();
  const start = await begin(jar);
  const back = new URL(CALLBACK);
  const answer = { error: 'access_denied', error_description: 'word '.repeat(300), iss: provider.url };
  back.search = `${new URLSearchParams({ ...answer, state: start.searchParams.get('state') ?? '' })}`;
  expect((await comeBack(jar, back)).status).toBe(401);
  const line = harness.logLines.findLast((text) => text.includes('OpenID Connect failed'));
  expect(line).toContain('OAUTH_AUTHORIZATION_RESPONSE_ERROR');
  expect(line).not.toContain('word');
});

test('a token whose signature is not its provider’s opens nothing', async () => {
  const jar: Jar = new Map();
  const back = await goToProvider(await begin(jar));
  provider.isForged = true;
  const answer = await comeBack(jar, back);
  provider.isForged = false;
  expect([answer.status, [...jar.keys()]]).toEqual([401, []]);
});

test.each([
  ['this client', CLIENT.client_id, 303],
  ['another client of the provider', 'another-client', 401],
])('a token that was issued to %s is answered as it must', async (_whom, azp, status) => {
  const jar: Jar = new Map();
  const back = await goToProvider(await begin(jar));
  provider.account = { ...provider.account, azp };
  expect((await comeBack(jar, back)).status).toBe(status);
});

test('a provider that cannot be reached is said to be away, and asked again the next time', async () => {
  const away = await startConsole({ shared: harness, settings: settings('http://127.0.0.1:9') });
  for (const _ of [1, 2]) {
    const answer = await away.visit('/console/openid');
    expect(answer.status).toBe(502);
    expect(await answer.text()).toContain('does not answer as it should');
  }
  expect(tokenIn(await (await away.visit('/console/login')).text())).toBe('');
  await away.stop();
});

test('a claim of the provider gives the role, the highest counts, and who has none is not let in', async () => {
  const roles = { oidcRoles: 'groups: audit=reader,finance=operator,admins=administrator' };
  const on = await startConsole({ shared: harness, settings: { ...settings(provider.url), ...roles } });
  try {
    const arrive = async (groups: string[]) => {
      provider.account = { email: 'anna@shop.example', email_verified: true, groups };
      const jar: Jar = new Map();
      const answer = await comeBack(jar, await goToProvider(await begin(jar, '', on)), on);
      if (answer.status !== 303) return `${answer.status} ${await answer.text()}`;
      return (await visit(jar, '/console', on)).text();
    };
    expect(await arrive(['sales', 'audit'])).toContain('· anna@shop.example, reader');
    expect(await arrive(['audit', 'finance'])).toContain('· anna@shop.example, operator');
    expect(await arrive(['admins'])).toContain('· anna@shop.example, administrator');
    expect(await arrive(['sales'])).toMatch(/^403 .*has no role in OIDC_ROLES/s);
  } finally {
    await on.stop();
  }
});

test('who only has a session at the provider has not proven it for what cannot be undone', async () => {
  const forget = async (query: string) => {
    const jar: Jar = new Map();
    const start = await begin(jar, query);
    await comeBack(jar, await goToProvider(start));
    const token = tokenIn(await (await visit(jar, '/console')).text());
    const answer = await harness.submit(
      '/console/operations/forget',
      { token, customer: 'cus_nobody', typed: 'cus_nobody', back: '' },
      { cookie: cookieOf(jar), 'sec-fetch-site': 'same-origin' },
    );
    return [start.searchParams.get('prompt'), start.searchParams.get('max_age'), answer.status];
  };
  expect(await forget('')).toEqual([null, null, 303]);
  expect(await forget('?again')).toEqual(['login', '0', 404]);
});
