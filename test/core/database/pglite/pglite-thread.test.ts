import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import type { Database } from '../../../../src/core/database/database.ts';
import { openEmbedded } from '../../../../src/core/database/embedded-database.ts';
import { newDataDirectory } from '../../../support/database/data-directory.ts';
import { compiledPath } from '../../../support/runner/compiled-tests.js';

const run = promisify(execFile);
const LONG = 'select count(*) from generate_series(1, 2000000)';

describe('the thread of the embedded database', () => {
  let directory: string;
  let database: Database;
  let thread: Worker;
  beforeEach(async () => {
    directory = newDataDirectory();
    const started = once(process, 'worker');
    database = await openEmbedded(directory);
    [thread] = await started;
  });
  afterEach(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });

  it('leaves the process free for other work while a statement runs', async () => {
    let isRunning = true;
    const statement = database.query(LONG).finally(() => {
      isRunning = false;
    });
    let turns = 0;
    for (; isRunning; turns += 1) await nextTurn();
    expect(await statement).toEqual([{ count: 2_000_000 }]);
    expect(turns).toBeGreaterThan(100);
  });

  it('is like a damaged database when it dies: nothing is answered any more, and what was committed is there at the next start', async () => {
    await database.exec('create table public.kept (id integer); insert into public.kept values (1)');
    const unanswered = expect(database.query(LONG)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await thread.terminate();
    await unanswered;
    const damaged = { code: 'STORE_DAMAGED', message: expect.stringContaining('ended with code 1') };
    expect(await database.damaged).toMatchObject(damaged);
    await expect(database.query('select 1')).rejects.toMatchObject(damaged);
    await expect(database.transaction((tx) => tx.query('select 1'))).rejects.toMatchObject(damaged);
    await database.close();
    database = await openEmbedded(directory);
    expect(await database.query('select id from public.kept')).toEqual([{ id: 1 }]);
  });

  it('says so when it dies while nobody waits for it', async () => {
    await thread.terminate();
    expect(await database.damaged).toMatchObject({ code: 'STORE_DAMAGED' });
  });

  it('lets a process end that has not closed it, but not before it has answered, and says nothing of its own', async () => {
    await database.close();
    const module = compiledPath('src/core/database/embedded-database.ts');
    const script = `
      const { openEmbedded } = await import(${JSON.stringify(module)});
      const database = await openEmbedded(${JSON.stringify(directory)});
      void database.query('select 1 as one').then(([row]) => console.log(row));`;
    const flags = ['--input-type=module', '--eval', script];
    expect(await run(process.execPath, flags)).toEqual({ stdout: '{ one: 1 }\n', stderr: '' });
    database = await openEmbedded(directory);
  });
});
