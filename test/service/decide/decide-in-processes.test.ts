/** Many cases at once: in the queue of one process, and in two processes on one database. */
import { systemClock, toIsoSeconds } from '../../../src/core/base/clock.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import type { Database } from '../../../src/core/database/database.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { createRetryService } from '../../../src/service/service.ts';
import { type ListedAction, listRecoveryActions } from '../../../src/service/store/recovery-action-pages.ts';
import { onPostgres, type TestLocation } from '../../support/database/databases.ts';
import { IS_FULL_RUN } from '../../support/runner/full-run.ts';
import { API_KEY, startHarness } from '../service-harness.ts';
import { buildInvoiceMessage, buildTransactionMessage, ingest } from '../service-messages.ts';

test('a case that cannot be decided is tried again and buried alone', async () => {
  const harness = await startHarness();
  const five = [1, 2, 3, 4, 5];
  const invoices = five.map((number) =>
    buildInvoiceMessage({ id: `in_${number}`, customerId: `cus_${number}` }),
  );
  await ingest(harness, 'invoices', ...invoices);
  const failures = five.map((number) =>
    buildTransactionMessage({ id: `ch_${number}`, invoiceId: `in_${number}` }),
  );
  await ingest(harness, 'transactions', ...failures);
  await harness.database.exec(`update retry_service.transactions set message = '{' where id = 'ch_3'`);
  await harness.drain();
  expect(harness.receiver.accepted.map(({ invoiceId }) => invoiceId).sort()).toEqual([
    'in_1',
    'in_2',
    'in_4',
    'in_5',
  ]);
  const failed = (condition: string) =>
    harness.database.query(`select data->>'invoiceId' as id from retry_service_jobs.job where ${condition}`);
  expect(await failed(`state = 'retry'`)).toEqual([{ id: 'in_3' }]);
  await harness.pass({ hours: 20 });
  expect(await failed(`name = 'dead-letters'`)).toEqual([{ id: 'in_3' }]);
  expect(harness.receiver.accepted).toHaveLength(4);
  await harness.stop();
});

const [INVOICES, CUSTOMERS] = IS_FULL_RUN ? [150, 40] : [60, 16];
const numbers = Array.from({ length: INVOICES }, (_, index) => index + 1);

/** The listing as a reader has it who goes on from the last row that he saw, until there are so many. */
async function readOn(database: Database, read: ListedAction[], until: number): Promise<void> {
  while (read.length < until) {
    const last = read.at(-1);
    const after = last && { key: last.key, position: last.position };
    const page = { orderBy: 'created_at', direction: 'asc', filters: {}, after, limit: 7 } as const;
    read.push(...(await listRecoveryActions(database, 'default', page)));
  }
}

/** Every invoice is touched through one process and its failed payment comes to the other, at the same time. */
async function failAll(urls: readonly [string, string], attempt: number): Promise<void> {
  const now = toIsoSeconds(systemClock.now());
  const post = async (url: string, kind: string, messages: object[]) => {
    const response = await fetch(`${url}/ingest/v1/${kind}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ [kind]: messages }),
    });
    expect(response.status).toBe(200);
  };
  const about = (number: number) => ({ invoiceId: `in_${number}`, customerId: `cus_${number % CUSTOMERS}` });
  const invoices = numbers.map((number) => {
    const { invoiceId: id, customerId } = about(number);
    return buildInvoiceMessage({
      id,
      customerId,
      amount: 2000 + attempt,
      updatedAt: `2026-03-0${attempt}T00:00:00Z`,
    });
  });
  const failures = numbers.map((number) =>
    buildTransactionMessage({
      ...about(number),
      id: `ch_${number}_${attempt}`,
      createdAt: now,
      updatedAt: now,
    }),
  );
  const third = INVOICES / 3;
  await Promise.all(
    [0, third, 2 * third].flatMap((from, part) => {
      const [here, there] = part % 2 === 0 ? urls : [urls[1], urls[0]];
      return [
        post(here, 'transactions', failures.slice(from, from + third)),
        post(there, 'invoices', invoices.slice(from, from + third)),
      ];
    }),
  );
}

onPostgres('two processes on postgres', (engine) => {
  test('two processes decide each case once, lose no answer, and hide no action from a reader', async () => {
    const places: TestLocation[] = [];
    const createMigrated = async () => {
      const place = await engine.createMigrated();
      places.push(place);
      return place;
    };
    const one = await startHarness({ clock: systemClock }, { ...engine, createMigrated });
    const [place] = places;
    if (!place) throw new Error('There is no database.');
    const database = await openDatabase(place.location);
    const callback = { baseUrl: one.receiver.url, token: 'token_for_tests' };
    const two = createRetryService({
      database,
      clock: systemClock,
      logger: silentLogger,
      host: '127.0.0.1',
      port: 0,
      organizations: [{ name: 'default', apiKeys: [API_KEY], callback }],
      defaultTimeZone: 'UTC',
      requestsPerSecond: 100_000,
      concurrentRequests: 1_000,
    });
    await two.start();

    const read: ListedAction[] = [];
    for (const attempt of [1, 2])
      await Promise.all([
        failAll([one.url, two.url ?? ''], attempt),
        readOn(database, read, attempt * INVOICES),
      ]);

    await two.stop();
    const rows = await database.query<{ id: string; key: string }>(
      `select id, invoice_id || ' ' || decided_for as key from retry_service.recovery_actions
       order by created_at, position`,
    );
    expect(read.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    const asked = numbers.flatMap((number) =>
      [1, 2].map((attempt) => `in_${number} ch_${number}_${attempt}`),
    );
    expect(rows.map(({ key }) => key).sort()).toEqual(asked.sort());
    await database.close();
    await one.stop();
  });
});
