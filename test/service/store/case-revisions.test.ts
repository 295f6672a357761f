import { DateTime } from 'luxon';
import type { Database } from '../../../src/core/database/database.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { migrateService } from '../../../src/service/migrate-service.ts';
import { listRecoveryCases, updateCases } from '../../../src/service/store/payment-cases.ts';
import { lockActionOrder } from '../../../src/service/store/recovery-actions.ts';
import { onPostgres } from '../../support/database/databases.ts';
import { eventually } from '../../support/eventually.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const ORGANIZATION = 'default';

async function revisionsOf(database: Database): Promise<string[]> {
  const rows = await listRecoveryCases(database, ORGANIZATION, { afterRevision: 0, limit: 100 });
  return rows.map(({ invoiceId, revision }) => `${revision} ${invoiceId}`);
}

/** Decides as a look at the case does; the transaction ends when `until` resolves. */
function decide(database: Database, invoiceId: string, until?: Promise<void>): Promise<void> {
  return database.transaction(async (tx) => {
    await lockActionOrder(tx, ORGANIZATION);
    const decision = { invoiceId, state: 'open' as const, reason: 'x', reasons: [], decidedFor: null };
    await updateCases(tx, ORGANIZATION, [decision], NOW);
    await until;
  });
}

onPostgres('decisions on postgres', ({ create }) => {
  test('a decision that begins before the end of another is numbered and seen after it', async () => {
    const { location, remove } = await create();
    const database = await openDatabase(location);
    await migrateService(database);
    await database.exec(`
    insert into retry_service.cases (organization, invoice_id, state, opened_at, updated_at)
    select 'default', 'in_' || n, 'open', now(), now() from generate_series(1, 2) as n`);
    let commit = () => {};
    const first = decide(database, 'in_2', new Promise((resolve) => (commit = resolve)));
    let second: Promise<void> | undefined;
    try {
      await eventually(async () => expect(await countLocks(database, true)).toBe(1));
      second = decide(database, 'in_1');
      await eventually(async () => expect(await countLocks(database, false)).toBe(1));
      expect(await revisionsOf(database)).toEqual([]);
    } finally {
      commit();
      await Promise.all([first, second]);
    }
    expect(await revisionsOf(database)).toEqual(['1 in_2', '2 in_1']);
    await database.close();
    await remove();
  });
});

async function countLocks(database: Database, isGranted: boolean): Promise<number> {
  const rows = await database.query(
    `select 1 as one from pg_locks where locktype = 'advisory' and granted = $1
     and database = (select oid from pg_database where datname = current_database())`,
    [isGranted],
  );
  return rows.length;
}
