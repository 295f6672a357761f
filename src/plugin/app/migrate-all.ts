/** Prepares an empty database as a first start does: all tables and queues, and no rows. */
import { DateTime } from 'luxon';
import { type Clock, createSimulatedClock } from '../../core/base/clock.ts';
import { silentLogger } from '../../core/base/logger.ts';
import type { Database, DatabaseLocation } from '../../core/database/database.ts';
import { openDatabase } from '../../core/database/open-database.ts';
import { createJobs } from '../../core/jobs/jobs.ts';
import type { Payloads, QueueTable } from '../../core/jobs/queue-table.ts';
import { migrateService } from '../../service/migrate-service.ts';
import { type ServicePayloads, serviceQueues } from '../../service/service-queues.ts';
import { JOBS_SCHEMA, type PluginQueues, QUEUES } from '../jobs/queues.ts';
import { migratePlugin } from '../store/migrate-plugin.ts';

/** Prepares the database at a location, for the build and for tests: unpacking or copying it takes a tenth of the time. */
export async function migrateAll(location: DatabaseLocation): Promise<void> {
  const database = await openDatabase(location);
  try {
    await prepareTables(database, createSimulatedClock(DateTime.utc(2020)));
  } finally {
    await database.close();
  }
}

/** Brings the tables and queues of plugin and service up to this version. */
export async function prepareTables(database: Database, clock: Clock): Promise<void> {
  await migratePlugin(database);
  await migrateService(database);
  const place = { database, clock };
  await prepareQueues<PluginQueues>(place, JOBS_SCHEMA, QUEUES);
  await prepareQueues<ServicePayloads>(place, 'retry_service_jobs', serviceQueues);
}

async function prepareQueues<Data extends Payloads<Data>>(
  place: { readonly database: Database; readonly clock: Clock },
  schema: string,
  queues: QueueTable<Data>,
): Promise<void> {
  const jobs = createJobs<Data>({ ...place, logger: silentLogger, schema, queues });
  await jobs.prepare();
  await jobs.stop();
}
