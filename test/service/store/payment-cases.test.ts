import { DateTime } from 'luxon';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { migrateService } from '../../../src/service/migrate-service.ts';
import { listOverdueCases, type OverdueCase } from '../../../src/service/store/payment-cases.ts';
import { ENGINES } from '../../support/database/databases.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

test.each(ENGINES)(
  'overdue cases are read in parts, each once, on the $engine database',
  async ({ create }) => {
    const { location, remove } = await create();
    const database = await openDatabase(location);
    await migrateService(database);
    // Several within one millisecond, which a Date could not tell apart; two that are not overdue.
    await database.exec(`
    insert into retry_service.cases (organization, invoice_id, state, review_at, opened_at, updated_at)
    select o, 'in_' || n, 'open', timestamptz '2026-03-02T09:00:00.0001Z' + n * interval '1 microsecond', now(), now()
    from generate_series(1, 4) as n, unnest(array['a', 'b']) as o
    union all select 'a', 'later', 'open', timestamptz '2026-03-02T10:00:00.001Z', now(), now()
    union all select 'a', 'closed', 'closed', null, now(), now()`);
    const read: string[] = [];
    let after: OverdueCase | undefined;
    do {
      const part = await listOverdueCases(database, NOW, { after, limit: 3 });
      read.push(...part.map(({ organization, invoiceId }) => `${organization} ${invoiceId}`));
      after = part[2];
    } while (after);
    expect(read).toEqual([1, 2, 3, 4].flatMap((number) => [`a in_${number}`, `b in_${number}`]));
    await database.close();
    await remove();
  },
);
