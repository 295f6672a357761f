import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import type { Database, DatabaseLocation } from '../../../src/core/database/database.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { createOwnPlugin } from '../../../src/plugin/app/own-plugin.ts';
import { ENGINES } from './databases.ts';

const SCHEMAS = ['payment_retry', 'payment_retry_jobs', 'retry_service', 'retry_service_jobs'];

/** Nothing is asked of Stripe, whose address takes no connection. */
async function startOnce(location: DatabaseLocation): Promise<void> {
  const plugin = createOwnPlugin({
    retryMode: 'advisory',
    stripeSecretKey: 'sk_test_nobody',
    stripeWebhookSecret: 'whsec_nobody',
    stripeApiBase: 'http://127.0.0.1:9',
    servicePort: 0,
    ...(location.kind === 'postgres' ? { databaseUrl: location.url } : { dataDir: location.directory }),
    clock: createSimulatedClock(DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' })),
    logger: silentLogger,
    environment: {},
  });
  await plugin.start();
  await plugin.stop();
}

/** The queue's tables of a day by their name without it: midnight may lie between two databases. */
async function describeTables(database: Database): Promise<object[]> {
  return database.query(
    `select table_schema, regexp_replace(table_name, '_\\d{8}$', ' of a day') as table_name,
       column_name, data_type, is_nullable, column_default
     from information_schema.columns where table_schema = any($1)
     order by table_schema, table_name, column_name`,
    [SCHEMAS],
  );
}

const listQueues = (database: Database, schema: string): Promise<object[]> =>
  database.query(
    `select name, policy, retry_limit, retry_delay, retry_delay_max, expire_seconds, heartbeat_seconds, dead_letter
     from ${schema}.queue order by name`,
  );

async function countRows(database: Database): Promise<Record<string, number>> {
  const tables = await database.query<{ name: string }>(
    `select schemaname || '.' || tablename as name from pg_tables where schemaname = any($1) order by 1`,
    [SCHEMAS],
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await database.query<{ rows: number }>(`select count(*)::int as rows from ${name}`);
    if (row && row.rows > 0) counts[name] = row.rows;
  }
  return counts;
}

describe.each(ENGINES)('the prepared database on $engine', ({ create, createMigrated }) => {
  it('the prepared database has what a first start makes of an empty one, and no rows of anybody', async () => {
    const [first, prepared] = await Promise.all([create(), createMigrated()]);
    await startOnce(first.location);
    const [made, copied] = await Promise.all([openDatabase(first.location), openDatabase(prepared.location)]);
    try {
      expect(await describeTables(copied)).toEqual(await describeTables(made));
      for (const schema of ['payment_retry_jobs', 'retry_service_jobs']) {
        const queues = await listQueues(made, schema);
        expect(queues.length).toBeGreaterThan(3);
        expect(await listQueues(copied, schema)).toEqual(queues);
      }
      expect(Object.keys(await countRows(copied)).sort()).toEqual([
        'payment_retry.migrations',
        'payment_retry_jobs.queue',
        'payment_retry_jobs.schedule',
        'payment_retry_jobs.version',
        'retry_service.migrations',
        'retry_service_jobs.queue',
        'retry_service_jobs.schedule',
        'retry_service_jobs.version',
      ]);
    } finally {
      await Promise.all([made.close(), copied.close()]);
      await Promise.all([first.remove(), prepared.remove()]);
    }
  });
});
