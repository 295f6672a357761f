/** What the database tells of itself and of the work in it, with each thing wrong once. */

import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import type { Database } from '../../../../src/core/database/database.ts';
import { describeFinding } from '../../../../src/plugin/operator/checks/describe-finding.ts';
import type { Finding } from '../../../../src/plugin/operator/checks/finding.ts';
import { shareChecks } from '../../../../src/plugin/operator/checks/run-checks.ts';
import { checkStored } from '../../../../src/plugin/operator/checks/stored-checks.ts';
import { loadConfig } from '../../../../src/plugin/settings/config.ts';
import {
  saveAccountSettings,
  sealCredentials,
} from '../../../../src/plugin/store/tables/account-settings.ts';
import { pauseEffects } from '../../../../src/plugin/store/tables/retry/pauses.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { NOW } from '../console/console-harness.ts';

const config = loadConfig(
  {
    retryMode: 'advisory',
    stripeSecretKey: 'sk_test_1',
    stripeWebhookSecret: 'whsec_1',
    accountSettingsKey: 'the-key-that-encrypts-0123456789',
  },
  {},
);
let opened: TestDatabase;
let database: Database;
beforeAll(async () => {
  opened = await openTestDatabase(MAIN);
  ({ database } = opened);
});
beforeEach(() => opened.clear());
afterAll(() => opened?.close());

const found = async (db = database): Promise<Finding[]> => checkStored({ config, database: db });
const problems = async () => (await found()).filter(({ state }) => state === 'problem');

test('a database in order reports its version, size and link, and that its tables are those of this version', async () => {
  const all = await found();
  const details = Object.fromEntries(all.map(({ code, detail }) => [code, detail]));
  expect(details.database).toMatch(/PostgreSQL \d+\.\d+.*, \d+ MB$/);
  expect(details.database_link).toBe(database.kind === 'postgres' ? 'local' : undefined);
  expect(all.filter(({ state }) => state !== 'ok').map(({ code }) => code)).toEqual(['events', 'backfill']);
});

test('tables that are still to be brought up to date are named, and can be mended', async () => {
  await database.query(`delete from payment_retry.migrations`);
  try {
    expect(await problems()).toEqual([
      {
        code: 'migrations',
        state: 'problem',
        detail: expect.stringMatching(/^to be applied: 0001\.sql/),
        fix: 'migrate',
      },
    ]);
  } finally {
    await database.query(`insert into payment_retry.migrations (name) values ('0001.sql')`);
  }
});

test('tables of a newer version are named, and are not mended from here', async () => {
  await database.query(`insert into payment_retry.migrations (name) values ('9999_of_tomorrow.sql')`);
  try {
    expect(await problems()).toEqual([
      { code: 'migrations', state: 'problem', detail: 'of a newer version: 9999_of_tomorrow.sql' },
    ]);
  } finally {
    await database.query(`delete from payment_retry.migrations where name = '9999_of_tomorrow.sql'`);
  }
});

test('a database that takes no writes is a problem', async () => {
  const readOnly: Database = {
    ...database,
    query: (text, params) =>
      database.transaction(async (tx) => {
        await tx.query('set transaction read only');
        return tx.query(text, params);
      }),
  };
  expect((await found(readOnly)).filter(({ state }) => state === 'problem')).toEqual([
    { code: 'database', state: 'problem', detail: expect.stringContaining('it takes no writes') },
  ]);
});

test('a database that does not answer is the one finding', async () => {
  const error = new Error('The database is away.', { cause: new Error('connection refused') });
  const away: Database = { ...database, transaction: () => Promise.reject(error) };
  expect(await found(away)).toEqual([
    { code: 'database', state: 'problem', detail: 'The database is away: connection refused' },
  ]);
});

test('a pause, and credentials that cannot be decrypted, are reported', async () => {
  await pauseEffects(database, { account: 'own', reason: 'wrong prices', by: 'ann', at: NOW });
  const owner = { account: 'acct_1', mode: 'test' } as const;
  const credentials = sealCredentials('another-key-0123456789-0123456789', owner, {
    retryServiceApiKey: 'k',
    recoveryCallbackTokens: ['t'],
  });
  await saveAccountSettings(database, owner, { businessEntity: null, credentials }, NOW);
  expect(await found()).toEqual(
    expect.arrayContaining([
      { code: 'effects', state: 'warning', detail: 'wrong prices' },
      { code: 'account_credentials', state: 'problem', detail: 'acct_1 (test mode)' },
    ]),
  );
});

test('a finding is one line, and what to do about it a second', () => {
  expect(describeFinding({ code: 'database', state: 'ok', detail: 'PostgreSQL 17.1, 20 MB' })).toBe(
    'ok       Database: PostgreSQL 17.1, 20 MB',
  );
  expect(describeFinding({ code: 'effects', state: 'warning', detail: 'wrong prices' })).toMatch(
    /^warning {2}Payments and emails are not paused: wrong prices\n {9}`resume`/,
  );
});

test('who asks while others ask shares their examination, and gets a new one afterwards', async () => {
  const clock = createSimulatedClock(NOW);
  let examinations = 0;
  const checks = shareChecks(clock, async () => {
    examinations += 1;
    if (examinations === 2) throw new Error('once');
    return [];
  });
  await Promise.all([checks(), checks()]);
  expect(examinations).toBe(1);
  await clock.set(NOW.plus({ seconds: 6 }));
  await expect(checks()).rejects.toThrow('once');
  // What failed is not kept.
  expect(await checks()).toEqual([]);
  expect(examinations).toBe(3);
});
