/** What a first start makes of an empty database: all tables and queues, and no rows. The build calls it, and the tests. */
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../core/base/clock.ts';
import { silentLogger } from '../../core/base/logger.ts';
import type { Database, DatabaseLocation } from '../../core/database/database.ts';
import { openDatabase } from '../../core/database/open-database.ts';
import { createJobs } from '../../core/jobs/jobs.ts';
import { type HandlerTable, keysOf, type Payloads, type QueueTable } from '../../core/jobs/queue-table.ts';
import { migrateService } from '../../service/migrate-service.ts';
import { type ServicePayloads, serviceQueues } from '../../service/service-queues.ts';
import { type PluginQueues, QUEUES } from '../jobs/queues.ts';
import { migratePlugin } from '../store/migrate-plugin.ts';

/** A database is unpacked or copied in a tenth of the time. */
export async function migrateAll(location: DatabaseLocation): Promise<void> {
  const database = await openDatabase(location);
  try {
    await migratePlugin(database);
    await migrateService(database);
    await createQueues<PluginQueues>(database, 'payment_retry_jobs', QUEUES);
    await createQueues<ServicePayloads>(database, 'retry_service_jobs', serviceQueues);
  } finally {
    await database.close();
  }
}

async function createQueues<Data extends Payloads<Data>>(
  database: Database,
  schema: string,
  queues: QueueTable<Data>,
): Promise<void> {
  // Simulated, so that no worker starts; no job is there for the handlers.
  const clock = createSimulatedClock(DateTime.utc(2020));
  const jobs = createJobs<Data>({ database, clock, logger: silentLogger, schema, queues });
  await jobs.start(idleHandlers(queues));
  await jobs.stop();
}

const idle = { handle: async () => {} };

function idleHandlers<Data>(queues: QueueTable<Data>): HandlerTable<Data> {
  return Object.fromEntries(keysOf(queues).map((name) => [name, idle])) as unknown as HandlerTable<Data>;
}
