/** What a first start makes of an empty database: all tables and queues, and no rows. The build calls it, and the tests. */
import { DateTime } from 'luxon';
import type { DatabaseLocation } from '../config/config.ts';
import { createJobs } from '../jobs/jobs.ts';
import { type HandlerTable, keysOf, type Payloads, type QueueTable } from '../jobs/queue-table.ts';
import { type PluginQueues, QUEUES } from '../jobs/queues.ts';
import { createSimulatedClock } from '../kit/clock.ts';
import { silentLogger } from '../kit/logger.ts';
import { migrateService } from '../service/migrate-service.ts';
import { type ServicePayloads, serviceQueues } from '../service/service-queues.ts';
import type { Database } from '../store/engine/database.ts';
import { migratePlugin } from '../store/engine/migrate.ts';
import { openDatabase } from '../store/engine/open-database.ts';

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
