import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PluginError } from '../../errors.ts';
import { OWNER_ONLY_FILE } from './owner-only.ts';

/**
 * Takes the data directory for this process; a second process in it would corrupt the database. The lock of a process
 * that is no longer alive (killed, power cut) is taken over. Returns the function that releases it.
 */
export function lockDirectory(directory: string): () => void {
  const path = join(resolve(directory), 'lock');
  for (;;) {
    const release = tryLock(path);
    if (release) return release;
    const holder = readHolder(path);
    if (holder !== undefined && isHeld(path, holder)) {
      throw new PluginError('DATA_DIR_LOCKED', `${resolve(directory)} is in use by process ${holder}.`, {
        help: 'Stop that process, choose another DATA_DIR, or set DATABASE_URL to share one PostgreSQL.',
      });
    }
    removeStale(path, holder);
  }
}

/** Whether a process that lives has the data directory open. */
export function isLocked(directory: string): boolean {
  const path = join(resolve(directory), 'lock');
  const holder = readHolder(path);
  return holder !== undefined && isHeld(path, holder);
}

/** When the data directory was taken, by the clock of its file system. Undefined if nobody has it. */
export function lockedAt(directory: string): Date | undefined {
  return statSync(join(resolve(directory), 'lock'), { throwIfNoEntry: false })?.mtime;
}

/** Directories that this very process holds: a container's process has the same id again after every restart. */
const ownLocks = new Set<string>();

function isHeld(path: string, holder: number): boolean {
  return holder === process.pid ? ownLocks.has(path) : isAlive(holder);
}

/** Moved aside first: if another process replaced the stale lock meanwhile, its lock is put back. */
function removeStale(path: string, holder: number | undefined): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (readHolder(aside) === holder) rmSync(aside, { force: true });
  else renameSync(aside, path);
}

/** Linked into place whole, so that no other process ever sees a lock without its owner. */
function tryLock(path: string): (() => void) | undefined {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, String(process.pid), { mode: OWNER_ONLY_FILE });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  ownLocks.add(path);
  return () => {
    ownLocks.delete(path);
    rmSync(path, { force: true });
  };
}

function readHolder(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Signal 0 asks without disturbing. EPERM means alive under another user. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
