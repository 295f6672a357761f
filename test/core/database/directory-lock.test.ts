import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { isLocked, lockDirectory } from '../../../src/core/database/directory-lock.ts';
import type { HeldLock } from '../../../src/core/database/lock-file.ts';
import { identifyProcess } from '../../../src/core/database/process-identity.ts';
import { eventually } from '../../support/eventually.ts';
import { captureLog } from '../../support/log-lines.ts';

const LOCKED = { code: 'DATA_DIR_LOCKED' };
const ELSEWHERE = { machine: 'another kernel', host: 'other-host' };
const SINCE = '2026-03-02T10:00:00.000Z';

describe('directory lock', () => {
  let directory: string;
  let lock: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'payment-retry-lock-'));
    lock = join(directory, 'lock');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** As the lock of a process that is like this one, but for what differs. */
  function writeOwner(differs: object, beat = 1): void {
    const owner = { id: 'ab', ...identifyProcess(), since: SINCE, ...differs };
    writeFileSync(lock, `${JSON.stringify(owner)}\n${beat}\n`);
  }

  /** Takes the lock and gives it back. `look` is called at each look at the heartbeat, of which it returns the number. */
  async function take(look: (count: number) => void = () => {}): Promise<number> {
    let count = 0;
    const wait = async () => look(++count);
    (await lockDirectory(directory, { wait })).release();
    return count;
  }

  async function withProcess(work: (child: ChildProcess) => Promise<void>): Promise<void> {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      await once(child, 'spawn');
      await work(child);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }

  it('the directory lock names its process while it is held, and leaves nothing behind when released', async () => {
    const clock = createSimulatedClock(DateTime.fromISO(SINCE));
    const held = await lockDirectory(directory, { clock });
    const [owner = ''] = readFileSync(lock, 'utf8').split('\n');
    expect(JSON.parse(owner)).toMatchObject({ pid: process.pid, host: hostname(), since: SINCE });
    expect(await isLocked(directory)).toBe(true);
    held.release();
    expect(readdirSync(directory)).toEqual([]);
    expect(await isLocked(directory)).toBe(false);
    expect(await take()).toBe(0);
  });

  it('the directory lock refuses a second holder in the same process, under any spelling of the folder', async () => {
    const held = await lockDirectory(directory);
    await expect(take()).rejects.toMatchObject(LOCKED);
    const spelled = `${directory}/../${directory.split('/').at(-1)}/`;
    await expect(lockDirectory(spelled)).rejects.toThrow(`process ${process.pid} on host ${hostname()}`);
    expect(readdirSync(directory).sort()).toEqual(['lock', expect.stringMatching(/^lock\.\w{8}$/)]);
    held.release();
  });

  it('the directory lock refuses while another process lives, naming it, its host, the folder and the ways out', async () => {
    await withProcess(async ({ pid = 0 }) => {
      const startedAt = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[21];
      writeOwner({ pid, startedAt });
      await expect(take()).rejects.toMatchObject({
        ...LOCKED,
        message: `${directory} is in use by process ${pid} on host ${hostname()}, since 2026-03-02 10:00:00 UTC.`,
        help: expect.stringMatching(/docker exec.*Stop that process.*DATA_DIR.*DATABASE_URL/),
      });
      expect(await isLocked(directory)).toBe(true);
    });
    expect(await take()).toBe(0);
  });

  it('the directory lock is taken over at once where the process that had its process id before is proven dead', async () => {
    writeOwner({ pid: spawnSync('true').pid });
    expect(await take()).toBe(0);
    await withProcess(async ({ pid }) => {
      writeOwner({ pid, startedAt: '1' });
      expect(await isLocked(directory)).toBe(false);
      expect(await take()).toBe(0);
    });
    // A container that was restarted counts from one again.
    writeOwner({ startedAt: '1' });
    expect(await take()).toBe(0);
    expect(readdirSync(directory)).toEqual([]);
  });

  describe('of a process in another container', () => {
    const inContainer = { pid: 1, namespaces: 'pid:[1] time:[1]', host: 'container' };
    const numbers = (file: string) => {
      const { dev, ino } = statSync(file, { bigint: true });
      return { device: String(dev), inode: String(ino) };
    };

    /** Its socket stays in the folder. */
    async function killListener(name: string): Promise<void> {
      const script = `require('node:net').createServer().listen(${JSON.stringify(join(directory, name))}, () => console.log())`;
      const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'exit');
    }

    it('the directory lock of a process in another container is refused while its socket answers', async () => {
      const server = createServer().listen(join(directory, 'lock.ab'));
      await once(server, 'listening');
      writeOwner({ ...inContainer, socket: { name: 'lock.ab', ...numbers(join(directory, 'lock.ab')) } });
      await expect(take()).rejects.toThrow('in use by process 1 on host container');
      expect(await isLocked(directory)).toBe(true);
      server.close();
    });

    it('the directory lock of a process in another container is taken over at once where its socket died with it', async () => {
      await killListener('lock.ab');
      writeOwner({ ...inContainer, socket: { name: 'lock.ab', ...numbers(join(directory, 'lock.ab')) } });
      expect(await isLocked(directory)).toBe(false);
      expect(await take()).toBe(0);
      expect(readdirSync(directory)).toEqual([]);
    });

    it.each([
      ['of another disk', { device: '1' }, {}],
      ['of another machine', {}, ELSEWHERE],
    ])('the directory lock is not taken over at once for a dead socket %s', async (_, socket, owner) => {
      await killListener('lock.ab');
      const file = { name: 'lock.ab', ...numbers(join(directory, 'lock.ab')), ...socket };
      writeOwner({ ...inContainer, ...owner, socket: file });
      expect(await take()).toBe(40);
    });
  });

  describe('of a process on another machine', () => {
    it('the directory lock of a process on another machine is refused as soon as its heartbeat moves', async () => {
      writeOwner(ELSEWHERE);
      const moving = take((count) => {
        if (count > 3) throw new Error('looked on');
        if (count === 3) writeOwner(ELSEWHERE, 2);
      });
      await expect(moving).rejects.toThrow('on host other-host, since 2026-03-02 10:00:00 UTC.');
    });

    it('the directory lock of a process on another machine is taken over when its heartbeat stood still for 20 seconds', async () => {
      writeOwner(ELSEWHERE);
      const { logger, lines } = captureLog();
      let waitedMs = 0;
      const wait = async (ms: number) => {
        expect(JSON.parse(readFileSync(lock, 'utf8').split('\n')[0] ?? '')).toMatchObject(ELSEWHERE);
        waitedMs += ms;
      };
      const held = await lockDirectory(directory, { wait, logger });
      expect(waitedMs).toBe(20_000);
      expect(lines.join('')).toContain('makes no move in 20 seconds');
      held.release();
    });

    it('the directory lock is taken when its owner on another machine gives it back meanwhile', async () => {
      writeOwner(ELSEWHERE);
      expect(await take((count) => count === 2 && rmSync(lock))).toBe(2);
    });

    it('of several that take over a lock one gets it', async () => {
      writeOwner(ELSEWHERE);
      const wait = async () => {};
      const all = await Promise.allSettled(
        Array.from({ length: 8 }, () => lockDirectory(directory, { wait })),
      );
      const held = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(held).toHaveLength(1);
      expect(held[0]?.findLoss()).toBeUndefined();
      for (const one of all) if (one.status === 'rejected') expect(one.reason).toMatchObject(LOCKED);
      held[0]?.release();
      expect(readdirSync(directory)).toEqual([]);
    });
  });

  it.each(['', 'nonsense', '{"pid":1}', '1'])(
    'a lock that names nobody is refused with what to delete: %j',
    async (content) => {
      writeFileSync(lock, content);
      await expect(take()).rejects.toMatchObject({
        ...LOCKED,
        message: `${lock} names no process: it was damaged.`,
        help: expect.stringContaining('then delete that file'),
      });
      expect(readFileSync(lock, 'utf8')).toBe(content);
      expect(await isLocked(directory)).toBe(false);
    },
  );

  describe('that is held', () => {
    let held: HeldLock;
    beforeEach(async () => {
      held = await lockDirectory(directory);
    });
    afterEach(() => held.release());

    it('a held lock has a heartbeat, and whose file is another one learns it and leaves that alone', async () => {
      const before = readFileSync(lock, 'utf8');
      await eventually(() => expect(readFileSync(lock, 'utf8')).not.toBe(before));
      expect(held.findLoss()).toBeUndefined();
      writeOwner({ ...ELSEWHERE, pid: 7 });
      expect(await held.lost).toMatchObject({
        ...LOCKED,
        message: expect.stringContaining('taken over by process 7 on host other-host'),
      });
      held.release();
      expect(existsSync(lock)).toBe(true);
      expect(readFileSync(lock, 'utf8')).toMatch(/\n1\n$/);
    });

    it('a held lock that somebody deletes is lost', () => {
      rmSync(lock);
      expect(held.findLoss()).toMatchObject({ message: expect.stringContaining('its lock was deleted') });
    });
  });
});
