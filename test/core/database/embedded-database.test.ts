import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Database } from '../../../src/core/database/database.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { copyOf, newDataDirectory } from '../../support/database/data-directory.ts';
import { eventually } from '../../support/eventually.ts';
import { scriptOf } from '../../support/runner/prepared.ts';

const run = promisify(execFile);

const modeOf = (path: string) => statSync(path).mode & 0o777;
const listUnder = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));

/** Each kind of entry with each of its modes, once. */
function modesUnder(folder: string): string[] {
  const kinds = [folder, ...listUnder(folder)].map((path) => {
    const kind = statSync(path).isDirectory() ? 'folder' : 'file';
    return `${kind} ${modeOf(path).toString(8)}`;
  });
  return [...new Set(kinds)].sort();
}

const raise = (on: Database, code: string) =>
  on.exec(`do $$ begin raise exception 'as the test says' using errcode = '${code}'; end $$`);

describe('embedded database', () => {
  let directory: string;
  let database: Database;
  /** One that was closed in good order, with a row, and where in it the table lies. */
  let whole: { readonly folder: string; path: string };
  beforeAll(async () => {
    directory = newDataDirectory();
    database = await openDatabase({ kind: 'embedded', directory });
    await database.exec('create table public.kept (id integer primary key)');
    whole = { folder: newDataDirectory(), path: '' };
    const before = await openDatabase({ kind: 'embedded', directory: whole.folder });
    await before.exec('create table public.kept as select 1 as id; checkpoint');
    await before.exec('insert into public.kept values (2)');
    const [row] = await before.query<{ path: string }>(`select pg_relation_filepath('public.kept') as path`);
    whole.path = row?.path ?? '';
    await before.close();
  });
  beforeEach(() => database.exec('truncate public.kept'));
  afterAll(async () => {
    await database.close();
    for (const folder of [directory, whole.folder]) rmSync(folder, { recursive: true });
  });

  it.each([
    ['runs with fsync', 'fsync', 'on'],
    ['runs with fsync through the call that its file system passes on', 'wal_sync_method', 'fsync'],
    ['waits for the disk at a commit', 'synchronous_commit', 'on'],
    ['writes whole pages', 'full_page_writes', 'on'],
    ['counts in UTC', 'TimeZone', 'UTC'],
    ['keeps 32 MB of pages in memory, and not the 160 MB of its own default', 'shared_buffers', '32MB'],
  ])('the embedded database %s', async (_, name, setting) => {
    expect(await database.query('select current_setting($1) as setting', [name])).toEqual([{ setting }]);
  });

  it('the embedded database syncs the log to the disk for a committed row, and not for a read', async () => {
    const folder = newDataDirectory();
    try {
      const script = scriptOf('test/core/database/commit-with-fsync.ts');
      const { stdout } = await run(process.execPath, [...script, join(folder, 'pg')]);
      const counted: unknown = JSON.parse(stdout);
      expect(counted).toEqual({ byReading: 0, byWriting: 1 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('the embedded database makes files for their owner alone, and mends those that were made otherwise, but leaves the folder around it', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'payment-retry-modes-'));
    const folder = join(parent, 'data');
    const use = async () => {
      const opened = await openDatabase({ kind: 'embedded', directory: folder });
      try {
        await opened.exec('create table if not exists public.used (id integer); checkpoint');
        return { lock: modeOf(join(folder, 'lock')), modes: modesUnder(join(folder, 'pg')) };
      } finally {
        await opened.close();
      }
    };
    try {
      const ownerOnly = { lock: 0o600, modes: ['file 600', 'folder 700'] };
      expect(await use()).toEqual(ownerOnly);
      expect(modeOf(folder)).toBe(0o700);
      for (const path of listUnder(folder)) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o666);
      chmodSync(folder, 0o755);
      expect(await use()).toEqual(ownerOnly);
      expect(modeOf(folder)).toBe(0o755);
    } finally {
      rmSync(parent, { recursive: true });
    }
  });

  it('the embedded database says what to do about a folder that cannot be made', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    await expect(openDatabase({ kind: 'embedded', directory: join(file, 'data') })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/^The folder for the database cannot be used: ENOTDIR: .*mkdir/),
      help: 'Choose another DATA_DIR, or set DATABASE_URL.',
    });
  });

  it('the embedded database names no value that a statement was given in its error', async () => {
    const statements = [
      database.query('select $1::integer', ['a-customer']),
      database.transaction((tx) => tx.query('select $1::text, 1 / 0', ['a-customer'])),
      database.queue.executeSql('select $1::text from nowhere', ['a-customer']),
    ];
    for (const failed of await Promise.allSettled(statements)) {
      expect(failed).toMatchObject({
        status: 'rejected',
        reason: { code: expect.stringMatching(/^\w{5}$/) },
      });
      const { reason } = failed.status === 'rejected' ? failed : { reason: undefined };
      expect(JSON.stringify(reason)).not.toContain('a-customer');
    }
  });

  it('the embedded database refuses a second opening of its folder and keeps working', async () => {
    await expect(openDatabase({ kind: 'embedded', directory })).rejects.toMatchObject({
      code: 'DATA_DIR_LOCKED',
    });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('the embedded database with a broken page says so and is used no more, until it is opened anew', async () => {
    const folder = copyOf(whole.folder);
    const open = () => openDatabase({ kind: 'embedded', directory: folder });
    try {
      const file = join(folder, 'pg', whole.path);
      const page = readFileSync(file);
      writeFileSync(file, Buffer.alloc(page.length, 0xa5));
      const broken = await open();
      const damaged = { code: 'STORE_DAMAGED', message: expect.stringContaining('invalid page') };
      await expect(broken.query('select id from public.kept')).rejects.toMatchObject(damaged);
      expect(await broken.damaged).toMatchObject(damaged);
      await expect(broken.query('select 1')).rejects.toMatchObject(damaged);
      await expect(broken.transaction((tx) => tx.query('select 1'))).rejects.toMatchObject(damaged);
      await broken.close();
      writeFileSync(file, page);
      const mended = await open();
      expect(await mended.query('select id from public.kept')).toEqual([{ id: 1 }, { id: 2 }]);
      await mended.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('the embedded database writes nothing into a folder that another process has taken over, and says which', async () => {
    const folder = newDataDirectory();
    const lock = join(folder, 'lock');
    const contents = () => listUnder(join(folder, 'pg')).map((path) => [path, statSync(path).mtimeMs]);
    try {
      const before = await openDatabase({ kind: 'embedded', directory: folder });
      await before.exec('create table public.late (id integer); checkpoint');
      const [line = '', ...beats] = readFileSync(lock, 'utf8').split('\n');
      const taker = { ...JSON.parse(line), id: 'another', pid: 7, host: 'other-host' };
      writeFileSync(lock, [JSON.stringify(taker), ...beats].join('\n'));
      const left = contents();
      // The lock is looked at every ten milliseconds at most.
      const writtenAt = performance.now();
      await eventually(async () => expect(performance.now() - writtenAt).toBeGreaterThan(11));
      const taken = {
        code: 'DATA_DIR_LOCKED',
        message: expect.stringContaining('taken over by process 7 on host other-host'),
      };
      await expect(before.query('insert into public.late values (1)')).rejects.toMatchObject(taken);
      expect(await before.damaged).toMatchObject(taken);
      await expect(before.query('select 1')).rejects.toMatchObject(taken);
      await before.close();
      expect(contents()).toEqual(left);
      expect(readFileSync(lock, 'utf8')).toContain('other-host');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each(['23505', '22P05', '40001', '53100', '42P01', 'XX000'])(
    'the embedded database lives on after error %s, which tells of no damage',
    async (code) => {
      await expect(raise(database, code)).rejects.toMatchObject({ code });
      expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    },
  );

  it('the embedded database gives up the folder when it cannot be opened', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'payment-retry-broken-'));
    try {
      writeFileSync(join(folder, 'pg'), 'not a folder');
      const open = () => openDatabase({ kind: 'embedded', directory: folder });
      await expect(open()).rejects.not.toMatchObject({ code: 'DATA_DIR_LOCKED' });
      await expect(open()).rejects.not.toMatchObject({ code: 'DATA_DIR_LOCKED' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  describe('in a folder that is not a whole database', () => {
    let folder: string;
    const pg = (name = '') => join(folder, 'pg', name);
    const open = () => openDatabase({ kind: 'embedded', directory: folder });
    beforeEach(() => {
      folder = copyOf(whole.folder);
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const spoilt: readonly [string, RegExp, () => void][] = [
      ['without its version', /it has no PG_VERSION/, () => rmSync(pg('PG_VERSION'))],
      ['of an empty version', /its PG_VERSION names no version/, () => writeFileSync(pg('PG_VERSION'), '')],
      [
        'of which one file was copied',
        /it has no PG_VERSION/,
        () => {
          for (const name of readdirSync(pg()))
            if (name !== 'postgresql.conf') rmSync(pg(name), { recursive: true });
        },
      ],
      [
        'that was restored one level too high',
        /it has the files that belong into .*pg/,
        () => {
          cpSync(pg(), folder, { recursive: true });
          rmSync(pg(), { recursive: true });
        },
      ],
    ];

    it.each(spoilt)(
      'the embedded database refuses one %s, and lays no empty one over it',
      async (_, reason, spoil) => {
        spoil();
        const contents = () => listUnder(folder).filter((path) => path !== join(folder, 'pg'));
        const left = contents();
        await expect(open()).rejects.toMatchObject({
          code: 'STORE_UNAVAILABLE',
          message: expect.stringMatching(reason),
          help: expect.stringContaining('Restore the whole folder'),
        });
        expect(contents()).toEqual(left);
      },
    );

    it('the embedded database keeps what was committed when it is opened again, once the missing file is back', async () => {
      const version = readFileSync(pg('PG_VERSION'));
      rmSync(pg('PG_VERSION'));
      await expect(open()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      writeFileSync(pg('PG_VERSION'), version);
      const restored = await open();
      expect(await restored.query('select id from public.kept')).toEqual([{ id: 1 }, { id: 2 }]);
      await restored.close();
    });
  });

  const pastTheTransaction: readonly [string, () => Promise<unknown>][] = [
    ['query', () => database.query('select 1')],
    ['exec', () => database.exec('select 1')],
    ['transaction', () => database.transaction(async () => {})],
    ['queue', () => database.queue.executeSql('select 1')],
  ];

  it.each(pastTheTransaction)(
    'the embedded database refuses %s past the running transaction instead of waiting for ever',
    async (_, use) => {
      const work = database.transaction(async (tx) => {
        await tx.query('insert into public.kept values (1)');
        await use();
      });
      await expect(work).rejects.toThrow('must go through the transaction');
      expect(await database.query('select id from public.kept')).toEqual([]);
    },
  );

  it('the embedded database ends the transaction that a text of several statements began and failed in, before it goes on', async () => {
    const failed = database.queue.executeSql(
      'begin; insert into public.kept values (1); select 1 / 0; commit',
    );
    const next = database.query('select id from public.kept');
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    expect(await next).toEqual([]);
  });

  it('the embedded database makes statements of others wait for the end of a transaction', async () => {
    const order: string[] = [];
    const transaction = database.transaction(async (tx) => {
      await tx.query('insert into public.kept values (1)');
      order.push('inside');
      await tx.query('insert into public.kept values (2)');
    });
    const outside = database.query('select id from public.kept order by id').then((rows) => {
      order.push('outside');
      return rows;
    });
    await transaction;
    expect(await outside).toEqual([{ id: 1 }, { id: 2 }]);
    expect(order).toEqual(['inside', 'outside']);
  });
});
