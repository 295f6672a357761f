/** A void invoice that the service was told of: one that takes more than the contract hears so, another is sent no state it does not have. */
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import { silentLogger } from '../../../../src/core/base/logger.ts';
import { INVOICE_VOID } from '../../../../src/core/contract/contract-extensions.ts';
import { OWN_ACCOUNT } from '../../../../src/plugin/settings/account.ts';
import { loadConfig } from '../../../../src/plugin/settings/config.ts';
import type { InvoiceRow } from '../../../../src/plugin/store/tables/sync/invoices.ts';
import { listQuarantined } from '../../../../src/plugin/store/tables/sync/outbox.ts';
import { createDeliverer } from '../../../../src/plugin/sync/deliver/deliver.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { upsertInvoice } from '../../../support/database/mirror-rows.ts';

const config = loadConfig(
  { retryMode: 'advisory', stripeSecretKey: 'sk_test_1', stripeWebhookSecret: 'whsec_1' },
  {},
);
const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

let store: TestDatabase;
beforeAll(async () => {
  store = await openTestDatabase(MAIN);
});
beforeEach(() => store.clear());
afterAll(() => store?.close());

const row = (changes: Partial<InvoiceRow>): InvoiceRow => ({
  account: OWN_ACCOUNT,
  id: 'in_1',
  customerId: 'cus_1',
  subscriptionId: undefined,
  status: 'open',
  amountRemaining: 2000,
  currency: 'usd',
  attemptCount: 1,
  nextAttemptAt: undefined,
  isFirst: false,
  message: { id: 'in_1', state: 'INVOICE_STATE_UNPAID' },
  version: NOW,
  versionSource: 'event',
  ...changes,
});
const voided = {
  status: 'void',
  message: undefined,
  ending: { state: INVOICE_VOID },
  version: NOW.plus({ hours: 1 }),
};

async function deliverAll(isExtended: boolean): Promise<unknown[]> {
  const states: unknown[] = [];
  const { handle } = createDeliverer({
    database: store.database,
    config,
    serviceOf: () => ({
      can: async () => isExtended,
      ingest: async (_kind, records) => {
        states.push(...records.map((record) => Reflect.get(record, 'state')));
        return { kind: 'accepted', requestId: undefined };
      },
    }),
    clock: createSimulatedClock(NOW.plus({ hours: 2 })),
    logger: silentLogger,
    enqueue: async () => {},
    processId: () => 1,
    random: () => 0,
  });
  await handle({ account: OWN_ACCOUNT });
  await handle({ account: OWN_ACCOUNT });
  return states;
}

test.each([
  [true, ['INVOICE_STATE_UNPAID', INVOICE_VOID]],
  [false, ['INVOICE_STATE_UNPAID']],
])('a service that takes extended records (%s) hears %j', async (isExtended, expected) => {
  await upsertInvoice(store.database, row({}));
  const before = await deliverAll(isExtended);
  await upsertInvoice(store.database, row(voided));
  expect([...before, ...(await deliverAll(isExtended))]).toEqual(expected);
  expect(await listQuarantined(store.database)).toEqual([]);
});

test('of an invoice that it never heard of the service hears nothing', async () => {
  await upsertInvoice(store.database, row(voided));
  expect(await deliverAll(true)).toEqual([]);
});
