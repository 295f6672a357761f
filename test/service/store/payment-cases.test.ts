import { DateTime } from 'luxon';
import type { Database } from '../../../src/core/database/database.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import {
  listOverdueCases,
  listRecoveryCases,
  type OverdueCase,
  updateCases,
} from '../../../src/service/store/payment-cases.ts';
import { lockActionOrder } from '../../../src/service/store/recovery-actions.ts';
import { ENGINES, type TestLocation } from '../../support/database/databases.ts';
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

async function countLocks(database: Database, isGranted: boolean): Promise<number> {
  const rows = await database.query(
    `select 1 as one from pg_locks where locktype = 'advisory' and granted = $1
     and database = (select oid from pg_database where datname = current_database())`,
    [isGranted],
  );
  return rows.length;
}

describe.each(ENGINES)('cases on the $engine database', ({ engine, createMigrated }) => {
  let place: TestLocation;
  let database: Database;
  beforeAll(async () => {
    place = await createMigrated();
    database = await openDatabase(place.location);
  });
  afterEach(() => database.exec('delete from retry_service.cases'));
  afterAll(async () => {
    await database?.close();
    await place?.remove();
  });

  // The other has one connection.
  if (engine === 'postgres')
    test('a decision that begins before the end of another is numbered and seen after it', async () => {
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
    });

  test('overdue cases are read in parts, each once', async () => {
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
  });
});
