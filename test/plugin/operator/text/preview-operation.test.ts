import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import { ConfigError } from '../../../../src/core/base/errors.ts';
import type { OperationDeps } from '../../../../src/plugin/operator/operations/operation.ts';
import { OPERATIONS } from '../../../../src/plugin/operator/operations/operations.ts';
import { previewForms, previewOperation } from '../../../../src/plugin/operator/text/preview-operation.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { upsertInvoice } from '../../../support/database/mirror-rows.ts';
import { captureLog } from '../../../support/log-lines.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const INVOICE = { account: 'own', invoice: 'in_1' };

let store: TestDatabase;
beforeAll(async () => {
  store = await openTestDatabase(MAIN);
  await upsertInvoice(store.database, {
    account: 'own',
    id: 'in_1',
    customerId: 'cus_1',
    subscriptionId: undefined,
    status: 'open',
    amountRemaining: 2000,
    currency: 'usd',
    attemptCount: 1,
    isFirst: false,
    nextAttemptAt: undefined,
    message: undefined,
    version: NOW,
    versionSource: 'event',
  });
});
afterAll(() => store.close());

function depsThatThrow(error: Error) {
  const { logger, lines } = captureLog();
  const none = () => {
    throw error;
  };
  const base = { database: store.database, clock: createSimulatedClock(NOW), logger };
  const deps: OperationDeps = { ...base, enqueue: async () => {}, retry: none, config: none };
  return { deps, lines };
}

const noSettings = () => depsThatThrow(new ConfigError(['there is no Stripe key']));

test('each form about an invoice has its preview before anything was entered in it', async () => {
  const { deps, lines } = noSettings();
  const asking = Object.values(OPERATIONS).filter(({ form, hasPreview }) => form?.asks && hasPreview);
  expect(asking.length).toBeGreaterThan(0);
  const previews = await previewForms(deps, 'invoice', { fields: INVOICE });
  expect(previews.get('postpone')?.will?.join()).toMatch(
    /^Put off .* until the time you choose, at most 90 days from now$/,
  );
  expect(lines.filter((line) => line.includes('"operation":"postpone"'))).toEqual([]);
});

test('a preview that cannot be made is said to be unavailable, and is an error in the log', async () => {
  const { deps, lines } = noSettings();
  expect((await previewOperation(deps, 'retry', INVOICE)).will?.join()).toMatch(/^Preview unavailable/);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 50, operation: 'retry', invoice: 'in_1', msg: 'a preview is unavailable' },
  ]);
});

test('an error of our own is no unavailable preview', async () => {
  const { deps } = depsThatThrow(new TypeError('undefined is not a function'));
  await expect(previewOperation(deps, 'retry', INVOICE)).rejects.toThrow(TypeError);
  await expect(previewOperation(noSettings().deps, 'stop', {})).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
  });
});
