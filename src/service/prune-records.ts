/** Takes away what is settled and old, in small steps. */
import type { Enqueue } from '../jobs/enqueue.ts';
import type { Clock } from '../kit/clock.ts';
import type { Logger } from '../kit/logger.ts';
import type { Database } from '../store/engine/database.ts';
import { deletePassed } from '../store/engine/passed-rows.ts';
import type { ServicePayloads } from './service-queues.ts';
import {
  deleteInvoices,
  listSettledInvoices,
  readKnownTime,
  type SettledInvoice,
} from './store/old-records.ts';

export interface PruneDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly enqueue: Enqueue<ServicePayloads>;
  readonly historyDays: number;
}

const INVOICES_IN_A_STEP = 100;
const ROWS_IN_A_STEP = 500;
/** Well inside the time that the job has; it goes on in the next one. */
const STEPS_IN_A_JOB = 300;

export async function pruneRecords(
  { database, clock, logger, enqueue, historyDays }: PruneDeps,
  { after: start }: ServicePayloads['prune'],
): Promise<void> {
  const known = await readKnownTime(database, clock.now());
  if (!known) return;
  while ((await deletePassed(database, 'retry_service', { now: known, limit: ROWS_IN_A_STEP })) > 0);
  const before = known.minus({ days: historyDays });
  let after: SettledInvoice | undefined = start;
  let rows = 0;
  let isDone = false;
  for (let step = 0; step < STEPS_IN_A_JOB && !isDone; step += 1) {
    const page = await listSettledInvoices(database, { before, limit: INVOICES_IN_A_STEP }, after);
    for (const organization of new Set(page.map((one) => one.organization))) {
      const ids = page.filter((one) => one.organization === organization).map(({ id }) => id);
      rows += await database.transaction((tx) => deleteInvoices(tx, organization, ids, before));
    }
    after = page[INVOICES_IN_A_STEP - 1];
    isDone = after === undefined;
  }
  if (rows > 0) logger.info({ rows }, 'took away records that are settled and old');
  if (after) await enqueue('prune', [{ data: { after }, key: 'prune' }]);
}
