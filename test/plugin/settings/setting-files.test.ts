import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../src/core/base/errors.ts';
import { loadConfig, loadDatabaseLocation } from '../../../src/plugin/settings/config.ts';
import type { SettingOptions } from '../../../src/plugin/settings/schema/setting-options.ts';
import { SETTINGS } from '../../../src/plugin/settings/schema/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'setting-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const REQUIRED = { RETRY_MODE: 'advisory', STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };

function keep(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function problemsOf(environment: Record<string, string>, settings: SettingOptions = {}): readonly string[] {
  try {
    loadConfig(settings, environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

test('a secret is read from the file that NAME_FILE names, without the line end', () => {
  const environment = {
    RETRY_MODE: 'advisory',
    STRIPE_SECRET_KEY_FILE: keep('key', 'sk_test_from_file\n'),
    STRIPE_WEBHOOK_SECRET_FILE: keep('secrets', 'whsec_1,whsec_2\r\n'),
    DATABASE_URL_FILE: keep('database', 'postgres://retry:word@db.internal/retry\n'),
  };
  const config = loadConfig({}, environment);
  expect(config.stripe).toMatchObject({
    secretKey: 'sk_test_from_file',
    webhookSecrets: ['whsec_1', 'whsec_2'],
  });
  expect(config.database).toEqual({
    kind: 'postgres',
    url: 'postgres://retry:word@db.internal/retry',
    connections: 20,
    schema: 'payment_retry',
  });
  expect(loadDatabaseLocation({}, environment)).toEqual(config.database);
  expect(config.unknownSettings).toEqual([]);
});

test('NAME_FILE is heard for each setting', () => {
  const names = Object.keys(SETTINGS);
  const files = Object.fromEntries(names.map((name) => [`${name}_FILE`, '/nowhere/x']));
  const problems = problemsOf({ ...REQUIRED, ...files });
  for (const name of names)
    expect(problems).toContainEqual(
      expect.stringMatching(`^${name}(_FILE names /nowhere/x| and ${name}_FILE are both set)`),
    );
});

test('a setting and its file are not both taken', () => {
  const path = keep('key', 'sk_test_2');
  expect(problemsOf({ ...REQUIRED, STRIPE_SECRET_KEY_FILE: path })).toEqual([
    'STRIPE_SECRET_KEY and STRIPE_SECRET_KEY_FILE are both set; keep one of them',
  ]);
});

test('an option of createPlugin comes before the file, as it comes before the environment', () => {
  const environment = { ...REQUIRED, METRICS_TOKEN_FILE: '/nowhere/token' };
  expect(problemsOf(environment, { metricsToken: 'metrics-token-0123456789' })).toEqual([]);
});

test('a file that cannot be read, and one that is empty, are each named once', () => {
  expect(
    problemsOf({
      RETRY_MODE: 'advisory',
      STRIPE_SECRET_KEY_FILE: '/nowhere/key',
      STRIPE_WEBHOOK_SECRET_FILE: keep('empty', '\n'),
    }),
  ).toEqual([
    'STRIPE_SECRET_KEY_FILE names /nowhere/key, which cannot be read (ENOENT)',
    expect.stringMatching(/^STRIPE_WEBHOOK_SECRET_FILE names .*empty, which is empty$/),
  ]);
});

test('an error in a setting file is reported without its text', () => {
  const [problem = '', ...others] = problemsOf({
    ...REQUIRED,
    METRICS_TOKEN_FILE: keep('token', 'short-word'),
  });
  expect(others).toEqual([]);
  expect(problem).toMatch(/^METRICS_TOKEN must have at least 24 characters/);
  expect(problem).not.toContain('short-word');
});

test('a misspelled NAME_FILE is reported with the name that was meant', () => {
  expect(problemsOf({ ...REQUIRED, CONSOLE_PASWORD_FILE: '/x' })).toEqual([
    expect.stringMatching(/^there is no setting CONSOLE_PASWORD_FILE; did you mean CONSOLE_PASSWORD_FILE\?/),
  ]);
});
