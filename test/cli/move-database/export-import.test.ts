/** A database as a file, and another database of it. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DateTime } from 'luxon';
import { exportDatabase } from '../../../src/cli/move-database/export-database.ts';
import { importDatabase } from '../../../src/cli/move-database/import-database.ts';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import type { Database } from '../../../src/core/database/database.ts';
import { ENGINE_MAJOR } from '../../../src/core/database/database-folder.ts';
import { openEmbedded } from '../../../src/core/database/embedded-database.ts';
import { openDatabase, openTarget } from '../../../src/core/database/open-database.ts';
import { listMovedTables, readContents } from '../../../src/core/database/row-copies.ts';
import {
  beginImport,
  endImport,
  findUnfinishedImport,
} from '../../../src/core/database/unfinished-import.ts';
import { EMBEDDED, onPostgres, type TestLocation } from '../../support/database/databases.ts';

const clock = createSimulatedClock(DateTime.utc(2026, 3, 2));
const folder = mkdtempSync(join(tmpdir(), 'payment-retry-export-'));
const file = join(folder, 'all.gz');
afterAll(() => rmSync(folder, { recursive: true }));

/** With what JSON, arrays, NUL, other languages and empty texts do to a file. */
const FILLED = `
insert into payment_retry.events (account, id, type, created_at, received_at, payload, results)
select 'own', 'evt_' || i, 'invoice.paid', now(), now(), E'{"name": "Ada\\\\u0000 „Łoś“\\n"}', '[{"code": "mirrored"}]'
from generate_series(1, 1203) as i;
insert into payment_retry.actions (id, account, cause, reference, kind, invoice_id, due_at, state, created_at)
select gen_random_uuid(), 'own', 'instruction', i, 'pay', 'in_' || i, now(), 'scheduled', now() from generate_series(1, 3) as i;
insert into payment_retry.audit (account, at, kind, detail) values ('own', now(), 'operator.stopped', '{"note": ""}');
insert into retry_service.cases (organization, invoice_id, state, opened_at, updated_at, reasons)
values ('default', 'in_1', 'open', now(), now(), '[{"code": "x"}]');`;

async function allContents(database: Database) {
  const found: [string, unknown][] = [];
  for (const table of await listMovedTables(database))
    found.push([`${table.schema}.${table.name}`, await readContents(database, table)]);
  return found;
}

let place: TestLocation;
/** Embedded, with all tables. */
let rowless: Database;
beforeAll(async () => {
  place = await EMBEDDED.createMigrated();
  rowless = await openTarget(place.location);
});
afterAll(async () => {
  await rowless.close();
  await place.remove();
});

describe('with an embedded database without a row', () => {
  const head = (table: object) => JSON.stringify({ table: { condition: 'true', checksum: '0', ...table } });
  const audit = { schema: 'payment_retry', name: 'audit', columns: [{ name: 'kind', type: 'text' }] };
  const zip = (...lines: string[]) => gzipSync(['{"format":1}', ...lines, ''].join('\n'));

  test.each([
    ['of something else', gzipSync('{"hello": "world"}\n'), 'is not a whole export'],
    ['that is not compressed', Buffer.from('{"format": 1}\n'), 'is not a whole export'],
    ['that ends before its rows do', zip(head({ ...audit, count: 2 }), '["a"]'), 'is not a whole export'],
    ['with a table of a later version', zip(head({ ...audit, name: 'b', count: 0 })), 'does not know'],
  ])('a file %s is refused', async (_what, contents, message) => {
    const path = join(folder, 'other.gz');
    writeFileSync(path, contents);
    await expect(importDatabase({ path, database: rowless, onTable: () => {}, clock })).rejects.toMatchObject(
      {
        code: 'REQUEST_INVALID',
        message: expect.stringContaining(message),
      },
    );
  });

  test.each([
    ['that is not there', join(folder, 'missing.gz'), 'ENOENT'],
    ['that is a folder', folder, 'EISDIR'],
  ])('a file %s is refused, and another one can be imported', async (_what, path, code) => {
    const imported = importDatabase({ path, database: rowless, onTable: () => {}, clock });
    await expect(imported).rejects.toMatchObject({ code });
    expect(await findUnfinishedImport(rowless)).toBeUndefined();
  });

  test.each([
    ['in a folder that is not there', join('missing', 'all.gz'), 'ENOENT'],
    ['that is a folder', 'taken', 'EISDIR'],
  ])('an export to a file %s is refused, and nothing is left of it', async (_what, name, code) => {
    const to = mkdtempSync(join(folder, 'to-'));
    mkdirSync(join(to, 'taken'));
    const path = join(to, name);
    const exported = exportDatabase({ path, database: rowless, onTable: () => {}, clock });
    await expect(exported).rejects.toMatchObject({ code });
    expect(readdirSync(to)).toEqual(['taken']);
  });

  test('an import that has begun keeps others out, before its first row as well', async () => {
    await beginImport(rowless, '/first.gz');
    const second = importDatabase({ path: file, database: rowless, onTable: () => {}, clock });
    await expect(second).rejects.toThrow('unfinished import of /first.gz');
    expect(await findUnfinishedImport(rowless)).toBe('/first.gz');
    await endImport(rowless);
  });

  test('the version that is expected of folders is that of the engine', async () => {
    const version = `select current_setting('server_version_num')::int / 10000 as major`;
    expect(await rowless.query(version)).toEqual([{ major: Number(ENGINE_MAJOR) }]);
  });
});

onPostgres('a file between the embedded database and postgres', (postgres) => {
  const places: TestLocation[] = [];
  const place = async (create: () => Promise<TestLocation>) => {
    const made = await create();
    places.push(made);
    return made.location;
  };
  afterAll(async () => {
    for (const { remove } of places) await remove();
  });

  it('every row arrives, after a cut as well, and the way back gives the same', async () => {
    const embedded = await openDatabase(await place(EMBEDDED.createMigrated));
    await embedded.exec(FILLED);
    const shares: number[] = [];
    const onProgress = (share: number) => void shares.push(share);
    await exportDatabase({ database: embedded, path: file, onTable: () => {}, onProgress, clock });
    expect(shares).toEqual([...new Set(shares)].sort((one, other) => one - other));
    expect(shares.at(-1)).toBeGreaterThan(0.9);
    const wanted = await allContents(embedded);
    await embedded.close();

    const location = await place(postgres.create);
    const target = await openTarget(location);
    const cut = importDatabase({
      path: file,
      database: target,
      clock,
      onTable: (table) => {
        if (table === 'payment_retry.audit') throw new Error('cut off');
      },
    });
    await expect(cut).rejects.toThrow('cut off');
    // Whoever starts on it is told so.
    await expect(openDatabase(location)).rejects.toThrow(
      /The import of .*all\.gz into this database is not finished/,
    );
    const tables = new Map<string, number>();
    const onTable = (table: string, count: number) => tables.set(table, count);
    const elsewhere = importDatabase({
      path: join(folder, 'elsewhere.gz'),
      database: target,
      clock,
      onTable,
    });
    await expect(elsewhere).rejects.toThrow(/unfinished import of .*all\.gz/);
    await importDatabase({ path: file, database: target, clock, onTable });
    expect(tables.get('payment_retry.events')).toBe(1203);
    expect(await allContents(target)).toEqual(wanted);
    // Ids go on where they were, and the triggers work again.
    await target.query(
      `insert into payment_retry.audit (account, at, kind, detail) values ('own', now(), 'operator.stopped', '{}')`,
    );
    expect(await target.query('select id from payment_retry.audit order by id')).toEqual([
      { id: 1 },
      { id: 2 },
    ]);
    await expect(importDatabase({ path: file, database: target, clock, onTable })).rejects.toThrow(
      'has rows of the plugin already',
    );

    const back = join(folder, 'back.gz');
    await exportDatabase({ database: target, path: back, onTable: () => {}, clock });
    // Its tables are there, without a row: a file that was refused keeps no other one out.
    const other = join(folder, 'not-an-export.gz');
    writeFileSync(other, 'hello');
    const mistaken = importDatabase({ path: other, database: rowless, clock, onTable });
    await expect(mistaken).rejects.toThrow('is not a whole export');
    await importDatabase({ path: back, database: rowless, clock, onTable });
    expect(await allContents(rowless)).toEqual(await allContents(target));
    await target.close();
  });

  it('nothing is exported while a process works on the database', async () => {
    const location = await place(postgres.createMigrated);
    const [worker, database] = [await openDatabase(location), await openDatabase(location)];
    const presence = await worker.showPresence(7);
    const path = join(folder, 'never.gz');
    await expect(exportDatabase({ database, path, onTable: () => {}, clock })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await presence.end();
    await exportDatabase({ database, path, onTable: () => {}, clock });
    await worker.close();
    await database.close();
  });
});

test('a folder of another major version of the engine is refused before it is opened', async () => {
  const directory = join(folder, 'old');
  mkdirSync(join(directory, 'pg'), { recursive: true });
  writeFileSync(join(directory, 'pg', 'PG_VERSION'), '17\n');
  await expect(openEmbedded(directory)).rejects.toThrow(
    /was made by PostgreSQL 17, and this version has PostgreSQL 18/,
  );
});
