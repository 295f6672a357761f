/**
 * The file `lock` in a data directory: its first line names the owner and never changes, the second is the number of the
 * owner's last heartbeat.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { z } from 'zod';
import { codeOf } from '../base/errors.ts';
import { tryJson } from '../base/try-json.ts';
import { OWNER_ONLY_FILE } from './owner-only.ts';
import { ownerSocketSchema } from './owner-socket.ts';
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

export const beatOf = (count: number): string => String(count).padStart(BEAT_DIGITS, '0');

export function describeOwner({ pid, host, since }: Owner): string {
  return `process ${pid} on host ${host}, since ${DateTime.fromISO(since).toUTC().toFormat('yyyy-MM-dd HH:mm:ss')} UTC`;
}

export function hasCode(error: unknown, code: string): boolean {
  return codeOf(error) === code;
}
