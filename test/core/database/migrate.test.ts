import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from '../../../src/core/database/database.ts';
import { type MigrationProgress, migrate } from '../../../src/core/database/migrate.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { migratePlugin } from '../../../src/plugin/store/migrate-plugin.ts';
import { EVERY_ENGINE, onPostgres, type TestLocation } from '../../support/database/databases.ts';
import { eventually } from '../../support/eventually.ts';

function folderOf(files: Readonly<Record<string, string>>): URL {
  const folder = mkdtempSync(join(tmpdir(), 'payment-retry-migrations-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return pathToFileURL(`${folder}/`);
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

async function listTables(database: Database, schema: string): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = $1 order by 1',
    [schema],
  );
  return rows.map(({ name }) => name);
}

describe.each(EVERY_ENGINE)('migrations on $engine', ({ create }) => {
  let place: TestLocation;
  let database: Database;
  beforeAll(async () => {
    place = await create();
    database = await openDatabase(place.location);
  });
  afterAll(async () => {
    await database.close();
    await place.remove();
  });

  it('a first run of the migrations applies our own files once; a second run does nothing', async () => {
    const first = await migratePlugin(database);
    expect(first).toContain('0001.sql');
    expect(await migratePlugin(database)).toEqual([]);
  });

  it('a schema that a version before 0.1.0 began is refused, and stays as it is', async () => {
    const old = folderOf({ '0001_old.sql': 'create table before.one (id integer);' });
    await migrate(database, { schema: 'before', folder: old });
    const ours = folderOf({ '0001.sql': 'create table before.two (id integer);' });
    await expect(migrate(database, { schema: 'before', folder: ours })).rejects.toMatchObject({
      code: 'DATABASE_TOO_OLD',
    });
    expect(await listTables(database, 'before')).toEqual(['migrations', 'one']);
  });

  it('a run of the migrations applies a file that is added later, and only that, in the order of the names', async () => {
    const one = 'create table later.one (id integer);';
    expect(await migrate(database, { schema: 'later', folder: folderOf({ '0001_one.sql': one }) })).toEqual([
      '0001_one.sql',
    ]);
    const more = folderOf({
      '0003_three.sql': 'alter table later.two add column more text;',
      '0002_two.sql':
        '-- a comment; with a semicolon\ncreate table later.two (id integer);\n\ncreate index on later.two (id);',
      '0001_one.sql': one,
    });
    expect(await migrate(database, { schema: 'later', folder: more })).toEqual([
      '0002_two.sql',
      '0003_three.sql',
    ]);
  });

  it('a migration that fails half-way leaves nothing, keeps the files before it, and runs once it is mended', async () => {
    const good = 'create table broken.good (id integer);';
    const fine = 'create table broken.fine (id integer);';
    const half = 'create table broken.half (id integer);\ncreate table broken.half (id integer);';
    expect(
      await migrate(database, { schema: 'broken', folder: folderOf({ '0001_good.sql': good }) }),
    ).toEqual(['0001_good.sql']);
    const bad = folderOf({ '0001_good.sql': good, '0002_fine.sql': fine, '0003_half.sql': half });
    await expect(migrate(database, { schema: 'broken', folder: bad })).rejects.toMatchObject({
      code: '42P07',
    });
    expect(await listTables(database, 'broken')).toEqual(['fine', 'good', 'migrations']);
    const mended = folderOf({
      '0001_good.sql': good,
      '0002_fine.sql': fine,
      '0003_half.sql': 'create table broken.half (id integer);',
    });
    expect(await migrate(database, { schema: 'broken', folder: mended })).toEqual(['0003_half.sql']);
  });

  it('a first run of the migrations that fails leaves none of them', async () => {
    const files = { '0001_one.sql': 'create table first.one (id integer);', '0002_bad.sql': 'select 1 / 0;' };
    await expect(migrate(database, { schema: 'first', folder: folderOf(files) })).rejects.toMatchObject({
      code: '22012',
    });
    expect(await listTables(database, 'first')).toEqual(['migrations']);
    const mended = folderOf({ ...files, '0002_bad.sql': 'select 1;' });
    expect(await migrate(database, { schema: 'first', folder: mended })).toEqual([
      '0001_one.sql',
      '0002_bad.sql',
    ]);
  });
});

onPostgres('migrations by several processes on postgres', ({ create }) => {
  it('migrations by several processes are applied once, and every process comes up', async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      const place = await create();
      const processes = await Promise.all(Array.from({ length: 6 }, () => openDatabase(place.location)));
      try {
        const applied = await Promise.all(processes.map((database) => migratePlugin(database)));
        expect(applied.filter((names) => names.includes('0001.sql'))).toHaveLength(1);
      } finally {
        await Promise.all(processes.map((database) => database.close()));
        await place.remove();
      }
    }
  });
});

/** Than after a second: a migration does not wait for much longer. */
async function lookForDeadlocksSooner({ location }: TestLocation): Promise<void> {
  const database = await openDatabase(location);
  await database.exec(
    `do $$ begin execute format('alter database %I set deadlock_timeout = ''100ms''', current_database()); end $$`,
  );
  await database.close();
}

onPostgres('a migration beside a process at work on postgres', ({ create }) => {
  it('a migration that meets the transaction of another process in a deadlock is done again', async () => {
    const place = await create();
    await lookForDeadlocksSooner(place);
    const connections = await Promise.all([1, 2, 3, 4].map(() => openDatabase(place.location)));
    const [migrating, worker, gate, watch] = connections;
    if (!migrating || !worker || !gate || !watch) throw new Error('There are four.');
    try {
      const tables = 'create table met.one (id integer);\ncreate table met.two (id integer);';
      await migrate(migrating, { schema: 'met', folder: folderOf({ '0001_tables.sql': tables }) });
      const folder = folderOf({
        '0001_tables.sql': tables,
        '0002_columns.sql':
          'alter table met.one add column more text;\nselect pg_advisory_xact_lock(1);\nalter table met.two add column more text;',
      });
      /** For longer than PostgreSQL takes to look for a deadlock, which it does once: then it is the other one who finds it. */
      const waitsFor = (what: string) =>
        eventually(async () => {
          const waiting = await watch.query(
            `select 1 as one from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
               and query like $1 and clock_timestamp() - state_change > interval '150 milliseconds'`,
            [`%${what}%`],
          );
          expect(waiting).toHaveLength(1);
        });
      const running: Promise<unknown>[] = [];
      await gate.transaction(async (closed) => {
        await closed.query('select pg_advisory_xact_lock(1)');
        running.push(migrate(migrating, { schema: 'met', folder: folder }));
        await waitsFor('advisory_xact_lock(1)');
        running.push(
          worker.transaction(async (tx) => {
            await tx.query('insert into met.two values (1)');
            await tx.query('insert into met.one values (1)');
          }),
        );
        await waitsFor('insert into met.one');
      });
      expect(await Promise.all(running)).toEqual([['0002_columns.sql'], undefined]);
      expect(await watch.query('select id, more from met.one')).toEqual([{ id: 1, more: null }]);
    } finally {
      await Promise.all(connections.map((database) => database.close()));
      await place.remove();
    }
  });

  it('a migration that a reader keeps from its table lets writers pass in between, and is told of until it is through', async () => {
    const place = await create();
    const [migrating, reader, writer] = await Promise.all([1, 2, 3].map(() => openDatabase(place.location)));
    if (!migrating || !reader || !writer) throw new Error('There are three.');
    try {
      const table = { '0001_table.sql': 'create table kept.one (id integer);' };
      const column = { ...table, '0002_column.sql': 'alter table kept.one add column more text;' };
      await migrate(migrating, { schema: 'kept', folder: folderOf(table) });
      const told: string[] = [];
      const tell = ({ state }: MigrationProgress) => told.push(state);
      const running: Promise<string[]>[] = [];
      await reader.transaction(async (tx) => {
        await tx.query('select 1 from kept.one');
        running.push(migrate(migrating, { schema: 'kept', folder: folderOf(column) }, tell));
        await eventually(() => expect(told).toEqual(['begins', 'waits']));
        await writer.query('insert into kept.one values (1)');
      });
      expect(await Promise.all(running)).toEqual([['0002_column.sql']]);
      expect(told.slice(-2)).toEqual(['begins', 'done']);
      expect(await writer.query('select id, more from kept.one')).toEqual([{ id: 1, more: null }]);
    } finally {
      await Promise.all([migrating, reader, writer].map((database) => database.close()));
      await place.remove();
    }
  });
});
