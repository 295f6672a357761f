/**
 * The file `lock` in a data directory: its first line names the owner and never changes, the second is the number of the owner's
 * last heartbeat. While a process has the lock, it keeps beating, and learns that another has taken it over.
 */
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DateTime } from 'luxon';
import { z } from 'zod';
import { codeOf, PluginError } from '../base/errors.ts';
import { tryJson } from '../base/try-json.ts';
import { OWNER_ONLY_FILE } from './owner-only.ts';
import { type OwnerSocket, ownerSocketSchema } from './owner-socket.ts';
import type { LockFile } from './pglite/pglite-messages.ts';
import { processIdentitySchema } from './process-identity.ts';

/** All heartbeats are written over each other. */
const BEAT_DIGITS = 12;

export const ownerSchema = processIdentitySchema.extend({
  id: z.string(),
  since: z.string(),
  socket: ownerSocketSchema.optional(),
});
export type Owner = z.output<typeof ownerSchema>;

/** A heartbeat that stops for longer may lose the directory. No work blocks an event loop for that long. */
export const STILL_MS = 20_000;

export interface FoundLock {
  readonly line: string;
  readonly beat: string;
  /** Undefined where the line is not ours. */
  readonly owner: Owner | undefined;
}

export function readLock(folder: string, name = 'lock'): FoundLock | undefined {
  try {
    const [line = '', beat = ''] = readFileSync(join(folder, name), 'utf8').split('\n');
    return { line, beat, owner: parseOwner(line) };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Reads the lock for a process that does not open the directory; the opening process reports errors. */
export function tryToRead(folder: string): FoundLock | undefined {
  try {
    return readLock(folder);
  } catch {
    return undefined;
  }
}

function parseOwner(line: string): Owner | undefined {
  return ownerSchema.safeParse(tryJson(line)).data;
}

/** Writes durably: the line is on the disk when it returns. */
export function writeLock(path: string, line: string): void {
  const file = openSync(path, 'wx', OWNER_ONLY_FILE);
  try {
    writeFileSync(file, `${line}\n${beatOf(0)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const beatOf = (count: number): string => String(count).padStart(BEAT_DIGITS, '0');

export function describeOwner({ pid, host, since }: Owner): string {
  return `process ${pid} on host ${host}, since ${DateTime.fromISO(since).toUTC().toFormat('yyyy-MM-dd HH:mm:ss')} UTC`;
}

export function hasCode(error: unknown, code: string): boolean {
  return codeOf(error) === code;
}

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
