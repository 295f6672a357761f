import { rmSync } from 'node:fs';
import { silentLogger } from '../../../src/core/base/logger.ts';
import type { Database } from '../../../src/core/database/database.ts';
import { openEmbedded } from '../../../src/core/database/embedded-database.ts';
import type { Statement } from '../../../src/core/database/pglite/pglite-messages.ts';
import { createUpkeep } from '../../../src/core/database/upkeep.ts';
import { newDataDirectory } from '../../support/database/data-directory.ts';
import { eventually } from '../../support/eventually.ts';
import { captureLog } from '../../support/log-lines.ts';

const MB = 2 ** 20;
const NEVER = Number.POSITIVE_INFINITY;
/** Of 1 MB, which cannot be compressed. */
const WRITE_MEGABYTE = `insert into public.kept (body)
  select (select string_agg(md5(concat(i, k, random())), '') from generate_series(1, 32) k) from generate_series(1, 1024) i`;

describe('upkeep of the embedded database', () => {
  let directory: string;
  let database: Database | undefined;
  beforeAll(() => {
    directory = newDataDirectory();
  });
  afterEach(async () => {
    await database?.close();
    database = undefined;
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  async function open(limits: Parameters<typeof openEmbedded>[2]) {
    const { logger, lines } = captureLog();
    const opened = await openEmbedded(directory, logger, {
      logBytes: NEVER,
      checkpointMs: NEVER,
      vacuumMs: NEVER,
      ...limits,
    });
    database = opened;
    await opened.exec('create table if not exists public.kept (body text)');
    const logged = async () => {
      const [row] = await opened.query<{ bytes: number }>(
        'select (pg_current_wal_insert_lsn() - redo_lsn)::float8 as bytes from pg_control_checkpoint()',
      );
      return row?.bytes ?? 0;
    };
    return { opened, lines, logged };
  }

  it('makes a checkpoint when the log has grown to its limit, outside of transactions', async () => {
    const { opened, logged } = await open({ logBytes: 2 * MB });
    await opened.transaction(async (tx) => {
      for (let count = 0; count < 3; count += 1) await tx.query(WRITE_MEGABYTE);
    });
    expect(await logged()).toBeGreaterThan(2 * MB);
    await eventually(async () => expect(await logged()).toBeLessThan(MB));
  });

  it('makes a checkpoint after a time in which anything was written, and vacuums a table of which much was deleted', async () => {
    const { opened, logged } = await open({ checkpointMs: 0, vacuumMs: 0 });
    await opened.query(WRITE_MEGABYTE);
    await eventually(async () => expect(await logged()).toBeLessThan(MB / 2));
    await opened.query('delete from public.kept');
    await eventually(async () => {
      const stats = await opened.query(
        `select n_dead_tup as dead, pg_relation_size(relid) as bytes from pg_stat_user_tables where relname = 'kept'`,
      );
      expect(stats).toEqual([{ dead: 0, bytes: 0 }]);
    });
  });

  it('vacuums each worn table once before the next pause, also one that is worn again', async () => {
    const sent: string[] = [];
    const send = async ({ text, params }: Statement) => {
      sent.push(text);
      const left = ['busy', 'less_busy'].filter((name) => ![params?.[0]].flat().includes(name));
      return [{ names: ['name'], rows: left.slice(0, 1).map((name) => [name]), json: [] }];
    };
    const upkeep = createUpkeep(send, silentLogger, { logBytes: NEVER, checkpointMs: NEVER, vacuumMs: 0 });
    await eventually(() => {
      upkeep.noteUse();
      const vacuums = sent.filter((text) => text.startsWith('vacuum'));
      expect(vacuums).toEqual(['vacuum (analyze) busy', 'vacuum (analyze) less_busy']);
    });
    upkeep.stop();
  });

  it('says that it failed', async () => {
    const { logger, lines } = captureLog();
    const upkeep = createUpkeep(() => Promise.reject(new Error('No space left on device')), logger);
    upkeep.noteUse();
    await eventually(() =>
      expect(lines).toEqual([
        expect.stringMatching(/No space left on device.*upkeep of the embedded database failed/),
      ]),
    );
    upkeep.stop();
  });
});
