import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDirectory } from '../../../src/store/engine/directory-lock.ts';

describe('directory lock', () => {
  let directory: string;
  let lock: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'payment-retry-lock-'));
    lock = join(directory, 'lock');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function refusal(): unknown {
    try {
      lockDirectory(directory)();
      return undefined;
    } catch (error) {
      return error;
    }
  }

  it('the directory lock names this process while it is held, and leaves nothing behind when released', () => {
    const release = lockDirectory(directory);
    expect(readFileSync(lock, 'utf8')).toBe(String(process.pid));
    release();
    expect(readdirSync(directory)).toEqual([]);
    lockDirectory(directory)();
  });

  it('the directory lock refuses a second holder in the same process, under any spelling of the folder', () => {
    const release = lockDirectory(directory);
    expect(refusal()).toMatchObject({ code: 'DATA_DIR_LOCKED' });
    expect(() => lockDirectory(`${directory}/../${directory.split('/').at(-1)}/`)).toThrow(
      String(process.pid),
    );
    release();
  });

  it('the directory lock refuses while another process lives, naming it, the folder and the ways out', async () => {
    const holder: ChildProcess = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      await once(holder, 'spawn');
      writeFileSync(lock, String(holder.pid));
      expect(refusal()).toMatchObject({
        code: 'DATA_DIR_LOCKED',
        message: `${directory} is in use by process ${holder.pid}.`,
        help: expect.stringMatching(/Stop that process.*DATA_DIR.*DATABASE_URL/),
      });
      expect(readFileSync(lock, 'utf8')).toBe(String(holder.pid));
    } finally {
      holder.kill('SIGKILL');
      await once(holder, 'exit');
    }
    lockDirectory(directory)();
  });

  it('the directory lock takes over the lock of a process that is dead', () => {
    writeFileSync(lock, String(spawnSync('true').pid));
    const release = lockDirectory(directory);
    expect(readFileSync(lock, 'utf8')).toBe(String(process.pid));
    release();
    expect(existsSync(lock)).toBe(false);
  });

  it('the directory lock takes over a lock with its own process id that it does not hold: a container counts from one again', () => {
    writeFileSync(lock, String(process.pid));
    const release = lockDirectory(directory);
    expect(refusal()).toMatchObject({ code: 'DATA_DIR_LOCKED' });
    release();
  });

  it.each(['', 'nonsense', '-1', '0'])(
    'the directory lock takes over a lock that names no process: %j',
    (content) => {
      writeFileSync(lock, content);
      lockDirectory(directory)();
      expect(readdirSync(directory)).toEqual([]);
    },
  );
});
