/** Restricts files with customers' data to the process's user, with any umask, which the host may need. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

export const OWNER_ONLY_FOLDER = 0o700;
export const OWNER_ONLY_FILE = 0o600;

const OTHERS = 0o077;

/** The mode without what it gives to others. */
export function ownerOnly(mode: number): number {
  return mode & ~OTHERS;
}

/**
 * Makes the folder if it is not there, and takes it and all that is in it from others. Returns what could not be taken:
 * files of another user, or on a disk without such rights.
 */
export function keepToOwner(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  return closeToOthers(realpathSync(folder));
}

function closeToOthers(path: string): string[] {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return [];
  const open: string[] = [];
  if (stats.mode & OTHERS) {
    try {
      chmodSync(path, ownerOnly(stats.mode & 0o777));
    } catch {
      open.push(path);
    }
  }
  if (!stats.isDirectory()) return open;
  return [...open, ...readdirSync(path).flatMap((name) => closeToOthers(join(path, name)))];
}
