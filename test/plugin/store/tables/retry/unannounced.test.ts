import { DateTime } from 'luxon';
import { insertAction } from '../../../../../src/plugin/store/tables/retry/actions.ts';
import { listUnannounced } from '../../../../../src/plugin/store/tables/retry/unannounced.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';

const NOW = DateTime.fromISO('2026-03-09T10:00:00Z', { zone: 'utc' });

describe.each(ENGINES)('invoices without an email on $engine', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  afterAll(() => test.close());

  it('the store knows for whom a payment is due first, on whichever of the invoices', async () => {
    const fail = (invoiceId: string, customerId: string) =>
      test.database.query(
        `insert into payment_retry.failures (account, invoice_id, customer_id, currency, amount, state, failed_at, attempts, words)
         values ('own', $1, $2, 'usd', 2000, 'open', $3, 1, '')`,
        [invoiceId, customerId, NOW.minus({ days: 7 })],
      );
    const pay = (id: string, customerId: string, dueAt: DateTime) =>
      insertAction(test.database, {
        id: `00000000-0000-4000-8000-00000000000${id}`,
        account: 'own',
        cause: 'instruction',
        reference: id,
        kind: 'pay',
        invoiceId: `in_other_${id}`,
        customerId,
        dueAt,
        createdAt: NOW,
      });
    await fail('in_1', 'cus_due');
    await fail('in_2', 'cus_later');
    await fail('in_3', 'cus_none');
    await pay('1', 'cus_due', NOW.plus({ minutes: 1 }));
    await pay('2', 'cus_later', NOW.plus({ minutes: 3 }));
    const found = await listUnannounced(test.database, {
      from: NOW.minus({ days: 30 }),
      to: NOW,
      paymentsUntil: NOW.plus({ minutes: 2 }),
      limit: 10,
    });
    expect(found.map(({ invoiceId, isPaymentDue }) => [invoiceId, isPaymentDue])).toEqual([
      ['in_1', true],
      ['in_2', false],
      ['in_3', false],
    ]);
  });
});
