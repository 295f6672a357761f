import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { runOperation } from '../../src/cli/operate-command.ts';
import { createSimulatedClock } from '../../src/clock.ts';
import { silentLogger } from '../../src/logger.ts';
import { openOperatorSocket } from '../../src/operator/operations/operator-socket.ts';
import { openDatabase } from '../../src/store/engine/database.ts';
import { lockDirectory } from '../../src/store/engine/directory-lock.ts';
import { listPauses } from '../../src/store/tables/retry/pauses.ts';
import { newMigratedDirectory } from '../support/data-directory.ts';
import { operationsOn } from '../support/operate.ts';

const DATA_DIR = process.env.DATA_DIR;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payment-retry-pause-'));
  chmodSync(folder, 0o700);
  process.env.DATA_DIR = folder;
});
afterEach(() => {
  if (DATA_DIR === undefined) delete process.env.DATA_DIR;
  else process.env.DATA_DIR = DATA_DIR;
  rmSync(folder, { recursive: true, force: true });
});

test('a process that has the embedded database open and does not answer must be stopped first', async () => {
  const release = lockDirectory(folder);
  const help = expect.stringContaining('Stop that process: with it every payment and mail stops at once.');
  try {
    await expect(runOperation('pause', {}, {})).rejects.toMatchObject({ code: 'DATA_DIR_LOCKED', help });
  } finally {
    release();
  }
});

test('a process that has the embedded database open pauses and resumes when it is asked, for its owner alone', async () => {
  cpSync(newMigratedDirectory(), folder, { recursive: true });
  const database = await openDatabase({ kind: 'embedded', directory: folder });
  const clock = createSimulatedClock(DateTime.utc(2026, 3, 2));
  // Left by a process that was killed.
  writeFileSync(join(folder, 'operator.sock'), '');
  const socket = await openOperatorSocket(folder, {
    operations: operationsOn({ database, clock }),
    logger: silentLogger,
  });
  let said = '';
  const write = (text: string) => {
    said += text;
  };
  try {
    expect(statSync(join(folder, 'operator.sock')).mode & 0o777).toBe(0o600);
    expect(await runOperation('pause', {}, { reason: 'wrong prices', by: 'ada' }, write)).toBe(0);
    expect(await listPauses(database)).toMatchObject([
      { account: '*', reason: 'wrong prices', pausedBy: 'ada' },
    ]);
    expect(said).toContain('It holds at once');
    expect(await runOperation('pause', { account: 'acct_unknown' }, {}, write)).toBe(1);
    expect(await runOperation('resume', {}, {}, write)).toBe(0);
    expect(await listPauses(database)).toEqual([]);
  } finally {
    await socket.stop();
    await database.close();
  }
  expect(existsSync(join(folder, 'operator.sock'))).toBe(false);
});
