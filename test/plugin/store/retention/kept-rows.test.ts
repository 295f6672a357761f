/** Rows that must be kept cost one look a night, and never hold up those behind them. */
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import { silentLogger } from '../../../../src/core/base/logger.ts';
import { createPruneJob } from '../../../../src/plugin/jobs/prune-job.ts';
import type { PluginQueues } from '../../../../src/plugin/jobs/queues.ts';
import { ENGINES, openTestDatabase } from '../../../support/database/databases.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
/** More than one job looks at: it takes 300 steps of 100 invoices. */
const KEPT = 31_000;
const REMOVABLE = 1_000;

const ROWS = `
insert into payment_retry.events (account, id, type, created_at, received_at, payload, processed_at, results)
values ('own', 'evt_latest', 'invoice.paid', '${NOW.toISO()}', '${NOW.toISO()}', '{}', '${NOW.toISO()}', '[{"code": "mirrored"}]');
insert into payment_retry.invoices (account, id, customer_id, status, amount_remaining, currency, attempt_count, version, version_source)
select 'own', 'in_' || i, 'cus_1', 'paid', 0, 'eur', 1, timestamptz '2023-01-01' + i * interval '1 second', 'event'
from generate_series(1, ${KEPT + REMOVABLE}) i;
insert into payment_retry.disputes select 'own', 'dp_' || i, 'in_' || i, 'general', 'lost', 2000, '2023-01-01' from generate_series(1, ${KEPT}) i;
analyze payment_retry.invoices`;

test.each(ENGINES)(
  'removable invoices behind 31,000 that are kept go in one night, which then ends, on the $engine database',
  async (engine) => {
    const held = await openTestDatabase(engine);
    try {
      await held.database.exec(ROWS);
      let next: PluginQueues['prune'] | undefined = {};
      const job = createPruneJob({
        config: { retention: { bodies: 35, rows: 400 } },
        database: held.database,
        clock: createSimulatedClock(NOW),
        logger: silentLogger,
        enqueue: async (_name, jobs) => {
          next = jobs[0]?.data as PluginQueues['prune'];
        },
      });
      let jobs = 0;
      for (; next && jobs < 5; jobs += 1) {
        const data: PluginQueues['prune'] = next;
        next = undefined;
        await job.handle(data);
      }
      const [row] = await held.database.query<{ count: number }>(
        'select count(*) as count from payment_retry.invoices',
      );
      expect({ left: Number(row?.count), jobs }).toEqual({ left: KEPT, jobs: 2 });
    } finally {
      await held.close();
    }
  },
);
