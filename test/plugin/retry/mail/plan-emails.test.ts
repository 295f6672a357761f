import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import type { Database } from '../../../../src/core/database/database.ts';
import { createEmailPlanner } from '../../../../src/plugin/retry/mail/plan-emails.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { usualConfig } from '../../../support/usual-config.ts';

const NOW = DateTime.fromISO('2026-03-09T10:00:00Z', { zone: 'utc' });

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase(MAIN);
});
afterAll(() => test.close());

it('plans the emails before renewals although the first notices cannot be listed', async () => {
  await test.database.query(
    `insert into payment_retry.subscriptions (account, id, customer_id, status, message, version, version_source, lost_method)
     values ('own', 'sub_1', 'cus_1', 'active', '{"expiresAt": "2026-03-12T10:00:00Z"}', $1, 'read', 'pm_1')`,
    [NOW],
  );
  const database: Database = {
    ...test.database,
    query: async (text, params) => {
      if (text.includes('payment_retry.failures')) throw new Error('the statement took too long');
      return test.database.query(text, params);
    },
  };
  const config = usualConfig({ cardExpiryMailDays: 7, firstEmailWithinDays: 7 });
  const plan = createEmailPlanner({
    database,
    config,
    enqueue: async () => {},
    clock: createSimulatedClock(NOW),
  });
  await expect(plan()).rejects.toThrow('the statement took too long');
  expect(await test.database.query('select cause, subscription_id from payment_retry.actions')).toEqual([
    { cause: 'renewal_at_risk', subscriptionId: 'sub_1' },
  ]);
});
