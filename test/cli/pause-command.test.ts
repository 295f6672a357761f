import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPause, runResume } from '../../src/cli/pause-command.ts';
import { lockDirectory } from '../../src/store/engine/directory-lock.ts';

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

test('a running process on the embedded database is told to be stopped first', async () => {
  const release = lockDirectory(folder);
  const help = expect.stringContaining('Stop that process: with it every payment and mail stops at once.');
  try {
    await expect(runPause([], {})).rejects.toMatchObject({ code: 'DATA_DIR_LOCKED', help });
    await expect(runResume([], {})).rejects.toMatchObject({ code: 'DATA_DIR_LOCKED', help });
  } finally {
    release();
  }
});
