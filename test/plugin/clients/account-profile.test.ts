import { silentLogger } from '../../../src/core/base/logger.ts';
import { rememberProfiles } from '../../../src/plugin/app/account-profiles.ts';
import { createStripeClient } from '../../../src/plugin/clients/stripe-client.ts';
import { type HttpStub, type StubAnswer, startHttpStub } from '../../support/http/http-stub.ts';

let answer: StubAnswer;
let stub: HttpStub;
beforeAll(async () => {
  stub = await startHttpStub(() => answer);
});
afterAll(() => stub.stop());

const client = () => createStripeClient({ stripe: { secretKey: 'sk_test_1', apiBase: stub.url } });

const account = (more: object) => ({
  status: 200,
  body: { id: 'acct_1', object: 'account', ...more },
});
const named = { business_profile: { name: 'Example Ltd' } };
const branding = (value: unknown) => ({ ...named, settings: { branding: value, dashboard: {} } });
const error = (status: number, type: string) => ({ status, body: { error: { type, message: 'no' } } });

test.each<[string, StubAnswer, object | undefined]>([
  [
    'name and colour',
    account(branding({ primary_color: '#0a7a5c' })),
    { name: 'Example Ltd', color: '#0a7a5c' },
  ],
  ['no colour', account(branding({ primary_color: null })), { name: 'Example Ltd', color: undefined }],
  ['no branding', account(branding(undefined)), { name: 'Example Ltd', color: undefined }],
  ['no settings', account(named), { name: 'Example Ltd', color: undefined }],
  [
    'no business name',
    account({ settings: { dashboard: { display_name: 'Example' } } }),
    { name: 'Example', color: undefined },
  ],
  ['no name at all', account({}), { name: 'acct_1', color: undefined }],
  ['a key that may not read it', error(403, 'invalid_request_error'), undefined],
])('%s', async (_, given, expected) => {
  answer = given;
  expect(await client().findProfile('own')).toEqual(expected && { id: 'acct_1', ...expected });
});

test('an answer that says nothing is an error, so that it is asked again', async () => {
  answer = error(401, 'invalid_request_error');
  await expect(client().findProfile('own')).rejects.toMatchObject({ statusCode: 401 });
});

test('who asks for an account meanwhile shares the answer, and nobody waits for a second try', async () => {
  const profiles = rememberProfiles({
    businessEntityOf: async () => undefined,
    stripe: client(),
    logger: silentLogger,
    config: { stripe: {}, connectedAccounts: { listed: new Map() } },
  });
  const askBoth = () => Promise.allSettled([profiles.nameOf('own'), profiles.colorOf('own')]);
  stub.requests.length = 0;
  answer = error(500, 'api_error');
  expect((await askBoth()).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(stub.requests).toHaveLength(1);
  answer = account(branding({ primary_color: '#0a7a5c' }));
  const values = async () => (await askBoth()).map((result) => 'value' in result && result.value);
  expect([await values(), await values()]).toEqual([
    ['Example Ltd', '#0a7a5c'],
    ['Example Ltd', '#0a7a5c'],
  ]);
  expect(stub.requests).toHaveLength(2);
});

test.each([
  ['the one of the key, which Stripe is asked for once', undefined, 'acct_1', 1],
  ['the one that the settings name, which Stripe is not asked for', 'org_1/acct_2', 'acct_2', 0],
])('our own account is %s', async (_which, context, own, asked) => {
  const profiles = rememberProfiles({
    businessEntityOf: async () => undefined,
    stripe: client(),
    logger: silentLogger,
    config: { stripe: { context }, connectedAccounts: { listed: new Map([['acct_listed', {}]]) } },
  });
  stub.requests.length = 0;
  answer = account(branding({ primary_color: '#0a7a5c' }));
  const named = ['acct_1', 'acct_2', 'acct_listed', 'acct_1', 'acct_2'];
  const ours = await Promise.all(named.map(async (name) => ((await profiles.isOwn(name)) ? [name] : [])));
  expect(ours.flat()).toEqual([own, own]);
  expect(stub.requests).toHaveLength(asked);
});

test('no account is taken for ours while Stripe does not answer', async () => {
  const profiles = rememberProfiles({
    businessEntityOf: async () => undefined,
    stripe: client(),
    logger: silentLogger,
    config: { stripe: {}, connectedAccounts: { listed: new Map() } },
  });
  answer = error(500, 'api_error');
  expect(await profiles.isOwn('acct_1')).toBe(false);
  answer = account(branding({ primary_color: '#0a7a5c' }));
  expect(await profiles.isOwn('acct_1')).toBe(true);
});
