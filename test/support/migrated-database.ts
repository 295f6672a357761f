/** What a first start makes of an empty database: all tables and queues, and no rows of anybody's. */
import { DateTime } from 'luxon';
import type { DatabaseLocation } from '../../src/config/config.ts';
import { createJobs } from '../../src/jobs/jobs.ts';
import type { HandlerTable, Payloads, QueueTable } from '../../src/jobs/queue-table.ts';
import type { PluginQueues } from '../../src/jobs/queues.ts';
import { QUEUES } from '../../src/jobs/queues.ts';
import { createSimulatedClock } from '../../src/kit/clock.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { migrateService } from '../../src/service/migrate-service.ts';
import { type ServicePayloads, serviceQueues } from '../../src/service/service-queues.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { migratePlugin } from '../../src/store/engine/migrate.ts';
import { openDatabase } from '../../src/store/engine/open-database.ts';

/** Hundreds of databases are made in a run of the tests; copies of one that this has prepared cost a tenth. */
export async function migrateAll(location: DatabaseLocation): Promise<void> {
  const database = await openDatabase(location);
  try {
    await migratePlugin(database);
    await migrateService(database);
    await createQueues<PluginQueues>(database, 'payment_retry_jobs', QUEUES, PLUGIN_HANDLERS);
    await createQueues<ServicePayloads>(database, 'retry_service_jobs', serviceQueues, SERVICE_HANDLERS);
  } finally {
    await database.close();
  }
}

async function createQueues<Data extends Payloads<Data>>(
  database: Database,
  schema: string,
  queues: QueueTable<Data>,
  handlers: HandlerTable<Data>,
): Promise<void> {
  // Simulated, so that no worker starts; no job is there for the handlers.
  const clock = createSimulatedClock(DateTime.utc(2020));
  const jobs = createJobs<Data>({ database, clock, logger: silentLogger, schema, queues });
  await jobs.start(handlers);
  await jobs.stop();
}

const idle = { handle: async () => {} };

const PLUGIN_HANDLERS: HandlerTable<PluginQueues> = {
  'take-events': idle,
  'process-event': idle,
  deliver: idle,
  'schedule-instruction': idle,
  'execute-action': idle,
  'pay-open-invoices': idle,
  'take-over-invoice': idle,
  'hand-back-invoice': idle,
  sweep: idle,
  'catch-up': idle,
  'sync-actions': idle,
  reread: idle,
  reconcile: idle,
  backfill: idle,
  'forget-customer': idle,
  prune: idle,
  'host-events': idle,
  'each-account': idle,
};
const SERVICE_HANDLERS: HandlerTable<ServicePayloads> = {
  decide: idle,
  send: idle,
  resend: idle,
  prune: idle,
};
