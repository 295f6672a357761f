import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../src/core/base/errors.ts';
import { OWN_ACCOUNT } from '../../../src/plugin/settings/account.ts';
import { createAccounts } from '../../../src/plugin/settings/accounts.ts';
import { loadConfig } from '../../../src/plugin/settings/config.ts';

const EMBEDDED = {
  RETRY_MODE: 'advisory',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  BUSINESS_ENTITY: 'Platform',
};
const REMOTE = {
  ...EMBEDDED,
  RETRY_SERVICE_URL: 'https://service.example/base',
  RETRY_SERVICE_API_KEY: 'plain-key',
  RECOVERY_CALLBACK_TOKEN: 'plain-token-0123456789-abcdefgh',
};

const load = (plain: Record<string, string>, accounts: object | string) =>
  loadConfig(
    {},
    { ...plain, CONNECTED_ACCOUNTS: typeof accounts === 'string' ? accounts : JSON.stringify(accounts) },
  );
const accessTo = (plain: Record<string, string>, accounts: object, account: string) =>
  createAccounts(load(plain, accounts)).find(account);

function problemsOf(plain: Record<string, string>, accounts: object | string): readonly string[] {
  try {
    load(plain, accounts);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('without the setting only the own account is served', () => {
  const accounts = createAccounts(loadConfig({}, REMOTE));
  expect(accounts.listed.map(({ account }) => account)).toEqual([OWN_ACCOUNT]);
  expect(accounts.find('acct_1')).toBeUndefined();
  expect(accounts.find(OWN_ACCOUNT)).toEqual({
    account: OWN_ACCOUNT,
    service: { baseUrl: new URL('https://service.example/base'), apiKey: 'plain-key' },
    callback: { tokens: ['plain-token-0123456789-abcdefgh'], basic: undefined },
    businessEntity: 'Platform',
  });
});

test('an account has what its entry gives it, and only that opens its callback', () => {
  const own = {
    retryServiceUrl: 'https://other.example',
    retryServiceApiKey: 'key-1',
    recoveryCallbackToken: 'new-1-0123456789-abcdefgh, old-1-0123456789-abcdefgh',
    recoveryCallbackBasic: 'user:password-0123456789-abcdefgh',
    businessEntity: 'Merchant One',
  };
  expect(accessTo(REMOTE, { acct_1: own }, 'acct_1')).toEqual({
    account: 'acct_1',
    service: { baseUrl: new URL('https://other.example'), apiKey: 'key-1' },
    callback: {
      tokens: ['new-1-0123456789-abcdefgh', 'old-1-0123456789-abcdefgh'],
      basic: 'user:password-0123456789-abcdefgh',
    },
    businessEntity: 'Merchant One',
  });
});

test('what an entry leaves out is the plain setting, but never the name of our own business', () => {
  expect(accessTo(REMOTE, { acct_1: {} }, 'acct_1')).toMatchObject({
    service: { baseUrl: new URL('https://service.example/base'), apiKey: 'plain-key' },
    callback: { tokens: ['plain-token-0123456789-abcdefgh'] },
    businessEntity: undefined,
  });
  const onlyToken = accessTo(
    REMOTE,
    { acct_1: { recoveryCallbackToken: 'token-1-0123456789-abcdefgh' } },
    'acct_1',
  );
  expect(onlyToken?.callback).toEqual({ tokens: ['token-1-0123456789-abcdefgh'], basic: undefined });
});

test('accounts that are not listed are served with "*" alone', () => {
  expect(accessTo(REMOTE, { acct_1: {} }, 'acct_2')).toBeUndefined();
  expect(accessTo(REMOTE, { '*': {} }, 'acct_2')?.service.apiKey).toBe('plain-key');
  for (const odd of ['', 'own2', 'acct_', 'acct_a/b', 'acct_1 ', `acct_${'x'.repeat(65)}`])
    expect(accessTo(REMOTE, { '*': {} }, odd)).toBeUndefined();
});

test('the embedded service gets a key and a token for each account, the same after every start', () => {
  const find = (account: string) => accessTo(EMBEDDED, { acct_1: {}, '*': {} }, account);
  const secrets = ['acct_1', 'acct_2', OWN_ACCOUNT].flatMap((account) => [
    find(account)?.service.apiKey,
    find(account)?.callback.tokens[0],
  ]);
  expect(new Set(secrets).size).toBe(6);
  for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/);
  expect(find('acct_2')).toEqual(find('acct_2'));
});

test('a file is read', () => {
  const directory = mkdtempSync(join(tmpdir(), 'accounts-'));
  const path = join(directory, 'accounts.json');
  writeFileSync(path, JSON.stringify({ acct_1: { businessEntity: 'From a file' } }));
  try {
    expect(createAccounts(load(REMOTE, path)).find('acct_1')?.businessEntity).toBe('From a file');
  } finally {
    rmSync(directory, { recursive: true });
  }
});

const KEY = { retryServiceApiKey: 'key-1' };
const TOKEN = { recoveryCallbackToken: 'token-1-0123456789-abcdefgh' };

test.each<[string, Record<string, string>, object | string, RegExp]>([
  [
    'a file that is not there',
    REMOTE,
    '/nowhere/accounts.json',
    /\/nowhere\/accounts.json cannot be read \(ENOENT\)/,
  ],
  ['text that is no JSON', REMOTE, '{acct_1', /must be JSON/],
  ['an id that is none', REMOTE, { merchant: {} }, /has "merchant"/],
  ['our own account', REMOTE, { own: {} }, /has "own"/],
  ['a setting that is none', REMOTE, { acct_1: { apiKey: 'x' } }, /at acct_1: .*apiKey/],
  [
    'a number for a key',
    REMOTE,
    { acct_1: { ...TOKEN, retryServiceApiKey: 7 } },
    /at acct_1.retryServiceApiKey/,
  ],
  [
    'a key with a space',
    REMOTE,
    { acct_1: { ...TOKEN, retryServiceApiKey: 'a b' } },
    /at acct_1.retryServiceApiKey/,
  ],
  [
    'three tokens',
    REMOTE,
    { acct_1: { recoveryCallbackToken: Array(3).fill('token-1-0123456789-abcdefgh').join(',') } },
    /at acct_1.recoveryCallbackToken/,
  ],
  [
    'an empty token',
    REMOTE,
    { acct_1: { recoveryCallbackToken: 'token-1-0123456789-abcdefgh,' } },
    /at acct_1.recoveryCallbackToken/,
  ],
  [
    'plain HTTP',
    REMOTE,
    { acct_1: { ...KEY, ...TOKEN, retryServiceUrl: 'http://service.example' } },
    /https/,
  ],
  ['Basic without a colon', REMOTE, { acct_1: { recoveryCallbackBasic: 'x' } }, /user:password/],
  [
    'another service without a key for it',
    REMOTE,
    { acct_1: { ...TOKEN, retryServiceUrl: 'https://other.example' } },
    /must have acct_1.retryServiceApiKey/,
  ],
  ['a key without a token', REMOTE, { acct_1: KEY }, /must have acct_1.recoveryCallbackToken/],
  [
    'a token of two accounts',
    REMOTE,
    { acct_1: TOKEN, acct_2: TOKEN },
    /same token for acct_2 as for acct_1/,
  ],
  [
    'the token of our own account',
    REMOTE,
    { acct_1: { recoveryCallbackToken: 'plain-token-0123456789-abcdefgh' } },
    /same token for acct_1 as for RECOVERY_CALLBACK_TOKEN/,
  ],
  ['an embedded key of two accounts', EMBEDDED, { acct_1: KEY, acct_2: KEY }, /same key for acct_2/],
  [
    'a remote service beside the embedded',
    EMBEDDED,
    { acct_1: { retryServiceUrl: 'https://x.example' } },
    /remote/,
  ],
  ['embedded credentials for all', EMBEDDED, { '*': KEY }, /embedded service makes them/],
  [
    'Basic alone for the embedded service',
    EMBEDDED,
    { acct_1: { recoveryCallbackBasic: 'user:password-0123456789-abcdefgh' } },
    /must have acct_1.recoveryCallbackToken/,
  ],
])('%s is a problem that tells where', (_what, plain, accounts, expected) => {
  const problems = problemsOf(plain, accounts);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^CONNECTED_ACCOUNTS must /);
  expect(problems[0]).toMatch(expected);
});

test('no problem shows a secret', () => {
  const secret = 'top secret';
  const broken = `{"acct_1": {"retryServiceApiKey": "${secret}"`;
  const wrong = {
    acct_1: { retryServiceApiKey: secret, recoveryCallbackToken: secret, recoveryCallbackBasic: secret },
  };
  for (const accounts of [broken, wrong]) {
    const problems = problemsOf(REMOTE, accounts).join('\n');
    expect(problems).not.toBe('');
    expect(problems).not.toContain(secret);
  }
});

test('all problems of connected accounts are reported at once', () => {
  expect(problemsOf(REMOTE, { acct_1: { a: 1 }, acct_2: { b: 1 }, x: {} }).length).toBeGreaterThanOrEqual(2);
});
