import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { pruneRecords } from '../../../src/service/service.ts';
import type { ServicePayloads } from '../../../src/service/service-queues.ts';
import { ENGINES } from '../../support/database/databases.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

/** Old, settled invoices, each with a payment; then what keeps some of them, and a young one. */
const RECORDS = `
insert into retry_service.invoices (organization, id, customer_id, state, currency, updated_at, message)
select 'default', name, 'cus_1', 'INVOICE_STATE_PAID', 'EUR', timestamptz '2024-06-01', '{}'
from unnest(array['paid', 'drawn', 'in_progress', 'asked']) as name
union all select 'default', 'young', 'cus_1', 'INVOICE_STATE_PAID', 'EUR', '2026-03-01', '{}'
union all select 'default', 'unpaid', 'cus_1', 'INVOICE_STATE_UNPAID', 'EUR', '2024-06-01', '{}';
insert into retry_service.transactions (organization, id, invoice_id, state, created_at, updated_at, message)
select organization, 'ch_' || id, id, 'TRANSACTION_STATE_PAID', updated_at, updated_at, '{}' from retry_service.invoices;
insert into retry_service.cases (organization, invoice_id, state, opened_at, updated_at, is_held_out, holdout_percent)
values ('default', 'paid', 'closed', '2024-06-01', '2024-06-01', false, 0), ('default', 'drawn', 'closed', '2024-06-01', '2024-06-01', true, 10),
  ('default', 'in_progress', 'open', '2024-06-01', '2024-06-01', false, 0);
insert into retry_service.recovery_actions (id, organization, request_id, invoice_id, customer_id, decided_for, currency, suggestion,
  ideal_retry_at, reason, status, created_at, updated_at)
select gen_random_uuid(), 'default', gen_random_uuid(), name, 'cus_1', 'ch', 'EUR', 'ACTION_SUGGESTION_RETRY', now(), '', status, timestamptz '2024-06-01', timestamptz '2024-06-01'
from (values ('asked', 'SENT'), ('paid', 'SUCCEEDED')) as a (name, status);
insert into retry_service.guesses values ('old', 1, '2026-02-20'), ('fresh', 1, '2026-03-05')`;

test.each(ENGINES)(
  'the embedded service forgets what is settled and old, but not what is open, on the $engine database',
  async ({ createMigrated }) => {
    const { location, remove } = await createMigrated();
    const database = await openDatabase(location);
    try {
      await database.exec(RECORDS);
      const next: ServicePayloads['prune'][] = [];
      const prune = async (now: DateTime) => {
        const deps = { database, clock: createSimulatedClock(now), logger: silentLogger, historyDays: 400 };
        await pruneRecords(
          {
            ...deps,
            enqueue: async (_name, jobs) =>
              void next.push(...jobs.map(({ data }) => data as ServicePayloads['prune'])),
          },
          {},
        );
      };
      const idsOf = async (table: string, column: string) =>
        (
          await database.query<{ id: string }>(
            `select ${column} as id from retry_service.${table} order by 1`,
          )
        ).map(({ id }) => id);
      // Nothing became old by a clock that is far behind.
      await prune(NOW.minus({ years: 1 }));
      expect(await idsOf('invoices', 'id')).toHaveLength(6);
      // And a year too many on the clock makes the young one no older than its own time says.
      await prune(NOW.plus({ years: 5 }));
      expect(await idsOf('invoices', 'id')).toEqual(['asked', 'in_progress', 'unpaid', 'young']);
      expect(await idsOf('transactions', 'invoice_id')).toEqual(['asked', 'in_progress', 'unpaid', 'young']);
      expect(await idsOf('cases', 'invoice_id')).toEqual(['in_progress']);
      expect(await idsOf('recovery_actions', 'invoice_id')).toEqual(['asked']);
      expect(await idsOf('guesses', 'key')).toEqual(['fresh']);
      expect(next).toEqual([]);
    } finally {
      await database.close();
      await remove();
    }
  },
);
