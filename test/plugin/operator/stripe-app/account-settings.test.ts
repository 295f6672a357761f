/** What a connected account sets for itself in the app: kept encrypted, for it alone, in its mode alone, by those who may. */
import { z } from 'zod';
import {
  createAccessReader,
  createNameReader,
  renewCredentials,
} from '../../../../src/plugin/app/account-access.ts';
import { createAccounts } from '../../../../src/plugin/settings/accounts.ts';
import type { Config } from '../../../../src/plugin/settings/config.ts';
import { deleteAccountSettings } from '../../../../src/plugin/store/tables/account-settings.ts';
import { listAudit } from '../../../../src/plugin/store/tables/audit.ts';
import { noteAccess } from '../../../../src/plugin/store/tables/stored-accounts.ts';
import { captureLog } from '../../../support/log-lines.ts';
import { type AppHarness, CONNECTED_ID, type Fields, NOW, startApp } from './app-harness.ts';

const OTHER_ID = 'acct_shop2';
const PLATFORM_TOKEN = 'token-of-the-platform-0123456789';
const KEY = 'the-key-that-encrypts-0123456789';
const NEXT_KEY = 'the-key-that-comes-after-01234567';
const SERVICE_KEY = 'secret-service-key-of-shop-1';
const TOKEN = 'secret-token-of-shop-1-0123456789';
const CREDENTIALS = { retryServiceApiKey: SERVICE_KEY, recoveryCallbackToken: TOKEN };

const PLATFORM_SERVICE = {
  retryServiceUrl: 'https://service.example',
  retryServiceApiKey: 'key-of-the-platform',
  recoveryCallbackToken: PLATFORM_TOKEN,
};

let app: AppHarness;
beforeAll(async () => {
  app = await startApp({
    ...PLATFORM_SERVICE,
    accountSettingsKey: KEY,
    connectedAccounts: JSON.stringify({ [CONNECTED_ID]: {}, '*': {} }),
  });
});
beforeEach(() => app.clear());
afterAll(() => app?.stop());

const theirs = { account_id: CONNECTED_ID };
const save = (parameters: object, fields: Fields = theirs) => app.answer('saveSettings', parameters, fields);
const own = async (fields: Fields = theirs) => (await app.answer('settings', {}, fields)).own;
const withKeys = (...accountSettingsKeys: string[]): Config => ({ ...app.config, accountSettingsKeys });
/** As a process with these settings reads it. */
const accessWith = (config: Config) =>
  createAccessReader({ config, accounts: createAccounts(config), database: app.database });
const access = (account = CONNECTED_ID) => accessWith(app.config)(account);
const rowsOf = () =>
  app.database.query<{ credentials: string }>('select * from payment_retry.account_settings');
const PLATFORM = { service: { apiKey: 'key-of-the-platform' }, callback: { tokens: [PLATFORM_TOKEN] } };
const UNREADABLE = { code: 'ACCOUNT_SETTINGS_UNREADABLE', message: expect.stringContaining(CONNECTED_ID) };

test('an account gives its own key and token, and no answer, row or log line shows them again', async () => {
  expect(await own()).toEqual({
    businessEntity: null,
    credentials: 'none',
    savedAt: null,
    takesCredentials: true,
    callbackUrl: `http://localhost:8080/accounts/${CONNECTED_ID}/recovery_action`,
  });
  const saved = await app.ask({
    ...theirs,
    request: 'saveSettings',
    parameters: JSON.stringify({ businessEntity: ' Shop One ', credentials: CREDENTIALS }),
  });
  expect(await own()).toMatchObject({ businessEntity: 'Shop One', credentials: 'set' });
  expect(await access()).toMatchObject({
    service: { baseUrl: new URL('https://service.example'), apiKey: SERVICE_KEY },
    callback: { tokens: [TOKEN], basic: undefined },
  });
  const audit = await listAudit(app.database, {});
  expect(audit).toMatchObject([
    {
      account: CONNECTED_ID,
      kind: 'account.saved',
      detail: {
        by: 'usr_1',
        via: 'stripe_app',
        mode: 'test',
        changed: ['businessEntity', 'retryServiceApiKey', 'recoveryCallbackToken'],
      },
    },
  ]);
  const shown = [await saved.text(), await own(), await rowsOf(), audit, app.logLines];
  expect(JSON.stringify(shown)).not.toMatch(/secret-(service|token)/);
});

test('what one account saves is never that of another, nor of the platform', async () => {
  await save({ businessEntity: 'Shop One', credentials: CREDENTIALS });
  expect(await access('own')).toMatchObject(PLATFORM);
  expect(await access(OTHER_ID)).toMatchObject(PLATFORM);
  expect(await own({ account_id: OTHER_ID })).toMatchObject({ businessEntity: null, credentials: 'none' });
  // The row of one account, put into another's place, opens for nobody.
  await app.database.query('update payment_retry.account_settings set account = $1', [OTHER_ID]);
  await expect(access(OTHER_ID)).rejects.toMatchObject({ code: 'ACCOUNT_SETTINGS_UNREADABLE' });
  expect(await access()).toMatchObject(PLATFORM);
});

test('what is saved in test mode is not there in live mode', async () => {
  await save({ businessEntity: 'Shop One', credentials: CREDENTIALS });
  const live = { ...app.config, livemode: true };
  expect(await accessWith(live)(CONNECTED_ID)).toMatchObject(PLATFORM);
  const nameOf = createNameReader({ config: live, accounts: createAccounts(live), database: app.database });
  expect(await nameOf(CONNECTED_ID)).toBeUndefined();
  const refused = await app.ask({ ...theirs, mode: 'live', request: 'settings' });
  expect(refused.status).toBe(409);
});

test('the platform’s own account has the settings of the server alone', async () => {
  expect(await own({})).toBeNull();
  expect(await save({ credentials: CREDENTIALS }, {})).toMatchObject({ code: 'account_not_connected' });
  expect(await rowsOf()).toEqual([]);
});

test.each([
  ['a key without a token', { credentials: { retryServiceApiKey: SERVICE_KEY } }, 'credentials_incomplete'],
  ['a token without a key', { credentials: { recoveryCallbackToken: TOKEN } }, 'credentials_incomplete'],
  [
    "the platform's token",
    { credentials: { ...CREDENTIALS, recoveryCallbackToken: PLATFORM_TOKEN } },
    'token_taken',
  ],
])('%s is not saved', async (_, given, code) => {
  expect(await save({ businessEntity: 'Shop One', ...given })).toMatchObject({ outcome: 'refused', code });
  expect(await rowsOf()).toEqual([]);
});

test.each([
  ['a short token', { credentials: { ...CREDENTIALS, recoveryCallbackToken: 'short' } }, /24 characters/],
  ['a key with a space', { credentials: { ...CREDENTIALS, retryServiceApiKey: 'a b' } }, /printable/],
  [
    'an address',
    { credentials: { ...CREDENTIALS, retryServiceUrl: 'https://evil.example' } },
    /retryServiceUrl/,
  ],
  ['a name of two lines', { businessEntity: 'Shop\nOne' }, /one line/],
])('%s is refused by name, and nothing is saved', async (_, given, words) => {
  const answered = await app.ask({ ...theirs, request: 'saveSettings', parameters: JSON.stringify(given) });
  expect(answered.status).toBe(400);
  expect(z.object({ message: z.string() }).parse(await answered.json()).message).toMatch(words);
  expect(await rowsOf()).toEqual([]);
});

test('only an administrator saves, and a request counts once', async () => {
  const analyst = [{ id: 'analyst', name: 'Analyst', type: 'builtIn' }];
  const parameters = JSON.stringify({ credentials: CREDENTIALS });
  const refused = await app.ask({ ...theirs, request: 'saveSettings', parameters, stripe_roles: analyst });
  expect(refused.status).toBe(403);
  expect(await rowsOf()).toEqual([]);
  const nonce = crypto.randomUUID();
  const twice = [1, 2].map(() => app.ask({ ...theirs, request: 'saveSettings', parameters, nonce }));
  expect((await Promise.all(twice)).map(({ status }) => status).sort()).toEqual([200, 409]);
});

test('a token is changed without the key, what is the same changes nothing, and both can be taken away', async () => {
  await save({ credentials: CREDENTIALS });
  const rotating = { credentials: { recoveryCallbackToken: `new-${TOKEN},${TOKEN}` } };
  expect(await save(rotating)).toMatchObject({ code: 'account_saved' });
  expect(await access()).toMatchObject({
    service: { apiKey: SERVICE_KEY },
    callback: { tokens: [`new-${TOKEN}`, TOKEN] },
  });
  expect(await save(rotating)).toMatchObject({ outcome: 'unchanged', code: 'account_saved_already' });
  expect(await save({ credentials: null })).toMatchObject({ code: 'account_saved' });
  expect(await access()).toMatchObject(PLATFORM);
});

test('without a key to encrypt them with, credentials are not saved, and a name is', async () => {
  const bare = await startApp(PLATFORM_SERVICE, app);
  const code = async (parameters: object) => (await bare.answer('saveSettings', parameters, theirs)).code;
  expect(await code({ credentials: CREDENTIALS })).toBe('credentials_not_kept');
  expect(await code({ businessEntity: 'Shop One' })).toBe('account_saved');
  expect((await bare.answer('settings', {}, theirs)).own).toMatchObject({
    businessEntity: 'Shop One',
    takesCredentials: false,
  });
  await bare.stop();
});

describe('the key that encrypts', () => {
  const start = async (config: Config) => {
    const { logger, lines } = captureLog();
    await renewCredentials({ config, database: app.database, logger });
    return lines.join('\n');
  };

  test('after a rotation the older key is needed no more, and a restart in between reads with both', async () => {
    await save({ credentials: CREDENTIALS });
    const [before] = await rowsOf();
    // Every process learns the new one before the first encrypts with it.
    await start(withKeys(KEY, NEXT_KEY));
    expect(await rowsOf()).toEqual([before]);
    expect(await start(withKeys(NEXT_KEY, KEY))).toContain('"renewed":1');
    expect(await start(withKeys(NEXT_KEY, KEY))).toBe('');
    for (const config of [withKeys(KEY, NEXT_KEY), withKeys(NEXT_KEY, KEY), withKeys(NEXT_KEY)])
      expect(await accessWith(config)(CONNECTED_ID)).toMatchObject({ service: { apiKey: SERVICE_KEY } });
    await expect(accessWith(withKeys(KEY))(CONNECTED_ID)).rejects.toMatchObject(UNREADABLE);
  });

  test('a key that is wrong or lost is reported for the account, changes nothing, and stops no other', async () => {
    await save({ credentials: CREDENTIALS });
    await save({ businessEntity: 'Shop Two' }, { account_id: OTHER_ID });
    const [before] = await rowsOf();
    for (const config of [withKeys(NEXT_KEY), withKeys()]) {
      expect(await start(config)).toContain(CONNECTED_ID);
      await expect(accessWith(config)(CONNECTED_ID)).rejects.toMatchObject(UNREADABLE);
      expect(await accessWith(config)(OTHER_ID)).toMatchObject(PLATFORM);
      const nameOf = createNameReader({ config, accounts: createAccounts(config), database: app.database });
      expect(await nameOf(OTHER_ID)).toBe('Shop Two');
    }
    expect((await rowsOf())[0]).toEqual(before);
    // Put back, it opens again; else the account enters both anew.
    expect(await access()).toMatchObject({ service: { apiKey: SERVICE_KEY } });
    await app.database.query(`update payment_retry.account_settings set credentials = 'v1.lost'`);
    expect(await own()).toMatchObject({ credentials: 'unreadable' });
    const half = { credentials: { retryServiceApiKey: SERVICE_KEY } };
    expect(await save(half)).toMatchObject({ code: 'credentials_incomplete' });
    expect(await save({ credentials: CREDENTIALS })).toMatchObject({ code: 'account_saved' });
    expect(await own()).toMatchObject({ credentials: 'set' });
  });
});

test('an account that has revoked access saves nothing', async () => {
  await own();
  await noteAccess(app.database, CONNECTED_ID, { kind: 'deauthorized', at: NOW });
  const refused = await app.ask({ ...theirs, request: 'saveSettings', parameters: '{"businessEntity":"x"}' });
  expect(refused.status).toBe(403);
  expect(await rowsOf()).toEqual([]);
});

test('an uninstall that is reported late deletes settings saved before it, and keeps later ones', async () => {
  await save({ businessEntity: 'Shop One' });
  const key = { account: CONNECTED_ID, mode: 'test' } as const;
  expect(await deleteAccountSettings(app.database, { ...key, mode: 'live' }, undefined)).toBe(false);
  expect(await deleteAccountSettings(app.database, key, NOW.minus({ seconds: 1 }))).toBe(false);
  expect(await deleteAccountSettings(app.database, key, NOW)).toBe(true);
  expect(await rowsOf()).toEqual([]);
});
