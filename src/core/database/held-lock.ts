/** The lock of a data directory while this process has it: its heartbeat, and how the process learns that another has taken it over. */
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PluginError } from '../base/errors.ts';
import { beatOf, describeOwner, hasCode, type Owner, readLock, STILL_MS } from './lock-file.ts';
import type { OwnerSocket } from './owner-socket.ts';
import type { LockFile } from './pglite/pglite-messages.ts';

const BEAT_MS = 1_000;

export interface HeldLock {
  readonly file: LockFile;
  /** Resolves if the lock is another's, or nobody's, before it was released. */
  readonly lost: Promise<PluginError>;
  findLoss(): PluginError | undefined;
  release(): void;
}

export function holdLock(held: LockFile, socket: OwnerSocket | undefined): HeldLock {
  const folder = dirname(held.path);
  const findLoss = (): PluginError | undefined => {
    try {
      const found = readLock(folder);
      return found?.line === held.line ? undefined : lostTo(folder, found?.owner);
    } catch {
      // Short of files, or its disk does not answer: that says nothing of the lock.
      return undefined;
    }
  };
  const { lost, stop } = keepBeating(held);
  return {
    file: held,
    lost: lost.then(() => findLoss() ?? lostTo(folder, undefined)),
    findLoss,
    release: () => {
      stop();
      if (!findLoss()) rmSync(held.path, { force: true });
      socket?.close();
    },
  };
}

function keepBeating(held: LockFile): { lost: Promise<void>; stop: () => void } {
  let timer: NodeJS.Timeout;
  let isOver = false;
  const lost = new Promise<void>((announce) => {
    const next = (count: number): void => {
      timer = setTimeout(async () => {
        const isOurs = await beat(held, count);
        if (isOver) return;
        if (isOurs) next(count + 1);
        else announce();
      }, BEAT_MS).unref();
    };
    next(1);
  });
  return {
    lost,
    stop: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** False if the lock is not ours any more. Written into the very file that was read: never into another's lock. */
async function beat({ path, line }: LockFile, count: number): Promise<boolean> {
  try {
    const file = await open(path, 'r+');
    try {
      const text = await file.readFile('utf8');
      if (!text.startsWith(`${line}\n`)) return false;
      await file.write(beatOf(count), Buffer.byteLength(line) + 1);
      return true;
    } finally {
      await file.close();
    }
  } catch (error) {
    // Short of files or of space, it is left out.
    return !hasCode(error, 'ENOENT');
  }
}

function lostTo(folder: string, owner: Owner | undefined): PluginError {
  const how = owner
    ? `was taken over by ${describeOwner(owner)}`
    : 'is not locked any more: its lock was deleted';
  return new PluginError('DATA_DIR_LOCKED', `${folder} ${how}. This process uses it no more.`, {
    help: `A process loses the folder if it stops for ${STILL_MS / 1000} seconds (a machine asleep, a disk that does not answer) and another machine starts on it. Run one of them only.`,
  });
}
