import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Database } from '../../../../src/core/database/database.ts';
import { inFull } from '../../../support/runner/full-run.ts';
import { findPrepared } from '../../../support/runner/prepared.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

describe('a database in an empty folder, as it is built', () => {
  let openEmbedded: (directory: string) => Promise<Database>;
  let parent: string;
  beforeAll(async () => {
    // Which builds it, once for all of a run.
    findPrepared('package');
    const built = pathToFileURL(join(ROOT, 'dist', 'core', 'database', 'embedded-database.js')).href;
    ({ openEmbedded } = await import(built));
    parent = mkdtempSync(join(tmpdir(), 'payment-retry-empty-'));
  });
  afterAll(() => rmSync(parent, { recursive: true }));

  async function identify(name: string): Promise<unknown> {
    const database = await openEmbedded(join(parent, name));
    try {
      const [row] = await database.query('select system_identifier::text from pg_control_system()');
      return row;
    } finally {
      await database.close();
    }
  }

  inFull('is unpacked, not made anew: initdb would give each its own identifier', async () => {
    const [first, second] = [await identify('first'), await identify('second')];
    expect(first).toEqual({ systemIdentifier: expect.stringMatching(/^\d{19}$/) });
    expect(second).toEqual(first);
  });

  it('is begun again where a start was cut off before all of it was there', async () => {
    const folder = join(parent, 'ended', 'pg');
    // It is in the place of one of initdb's last files.
    const obstacle = join(folder, 'pg_hba.conf');
    const mark = join(folder, 'unfinished');
    mkdirSync(obstacle, { recursive: true });
    writeFileSync(mark, '');
    await expect(identify('ended')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(existsSync(mark)).toBe(true);
    rmdirSync(obstacle);
    expect(await identify('ended')).toEqual({ systemIdentifier: expect.any(String) });
    expect(existsSync(mark)).toBe(false);
  });

  const onUnix = process.platform === 'win32' ? it.skip : it;

  onUnix('it is made on a disk by a process that may have 256 files open', async () => {
    // Where files are in memory nothing is synced.
    const disk = mkdtempSync(
      join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'payment-retry-few-files-'),
    );
    const start = 'ulimit -n 256 && exec "$0" dist/cli.js db migrate';
    const { stderr } = await run('sh', ['-c', start, process.execPath], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, DATA_DIR: disk },
    }).finally(() => rmSync(disk, { recursive: true }));
    expect(stderr).toBe('');
  });
});
