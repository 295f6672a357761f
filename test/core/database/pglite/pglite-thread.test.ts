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
  let opened: { database: Database; thread: Worker } | undefined;
  beforeAll(() => {
    directory = newDataDirectory();
  });
  afterAll(async () => {
    await close();
    rmSync(directory, { recursive: true });
  });

  async function open(): Promise<{ database: Database; thread: Worker }> {
    if (opened) return opened;
    const started = once(process, 'worker');
    const database = await openEmbedded(directory);
    const [thread] = await started;
    opened = { database, thread };
    return opened;
  }
  async function close(): Promise<void> {
    await opened?.database.close();
    opened = undefined;
  }

  it('leaves the process free for other work while a statement runs', async () => {
    const { database } = await open();
    let isRunning = true;
    const statement = database.query(LONG).finally(() => {
      isRunning = false;
    });
    let turns = 0;
    for (; isRunning; turns += 1) await nextTurn();
    expect(await statement).toEqual([{ count: 2_000_000 }]);
    expect(turns).toBeGreaterThan(100);
  });

  it('takes texts of any characters and length in a statement that comes again', async () => {
    const { database } = await open();
    const texts = ['', 'Zürich 😀', 'ü'.repeat(100_000), null];
    const read = 'select $1::text as text, $2::text[] as texts, $3::text as nothing';
    for (let time = 0; time < 4; time += 1)
      expect(await database.query(read, ['half: \ud83d', texts, null])).toEqual([
        { text: 'half: \ufffd', texts, nothing: null },
      ]);
  });

  it('is like a damaged database when it dies: nothing is answered any more, and what was committed is there at the next start', async () => {
    const { database, thread } = await open();
    await database.exec('create table public.kept (id integer); insert into public.kept values (1)');
    const unanswered = expect(database.query(LONG)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await thread.terminate();
    await unanswered;
    const damaged = { code: 'STORE_DAMAGED', message: expect.stringContaining('ended with code 1') };
    expect(await database.damaged).toMatchObject(damaged);
    await expect(database.query('select 1')).rejects.toMatchObject(damaged);
    await expect(database.transaction((tx) => tx.query('select 1'))).rejects.toMatchObject(damaged);
    await close();
    const next = await open();
    expect(await next.database.query('select id from public.kept')).toEqual([{ id: 1 }]);
  });

  it('says so when it dies while nobody waits for it', async () => {
    const { database, thread } = await open();
    await thread.terminate();
    expect(await database.damaged).toMatchObject({ code: 'STORE_DAMAGED' });
    await close();
  });

  describe('in a process of its own', () => {
    beforeAll(close);

    it.each([
      [
        'lets it end without being closed, but not before it has answered, and says nothing of its own',
        "void database.query('select 1 as one').then(([row]) => console.log(row));",
        '{ one: 1 }\n',
      ],
      [
        'is closed although something is asked of it meanwhile',
        `database.query('select 1').catch((error) => console.log(error.message));
         void database.close().then(() => console.log('closed'));`,
        'The embedded database is closed.\nclosed\n',
      ],
    ])('%s', async (_what, work, stdout) => {
      const module = compiledPath('src/core/database/embedded-database.ts');
      const script = `
        const { openEmbedded } = await import(${JSON.stringify(module)});
        const database = await openEmbedded(${JSON.stringify(directory)});
        ${work}`;
      // As the program has it, which optimizes the engine late.
      const flags = ['--wasm-tiering-budget=500000000', '--input-type=module', '--eval', script];
      expect(await run(process.execPath, flags)).toEqual({ stdout, stderr: '' });
    });
  });
});
