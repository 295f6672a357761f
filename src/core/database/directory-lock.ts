/**
 * Which process has the data directory: a file `lock` that names it and counts its heartbeats. A second one in the
 * directory would ruin the database, so the lock is taken over only if its owner is proven dead, or has stood still for long.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DateTime } from 'luxon';
import { type Clock, systemClock } from '../base/clock.ts';
import { PluginError } from '../base/errors.ts';
import { type Logger, silentLogger } from '../base/logger.ts';
import {
  describeOwner,
  type FoundLock,
  type HeldLock,
  hasCode,
  holdLock,
  type Owner,
  ownerSchema,
  readLock,
  STILL_MS,
  tryToRead,
  writeLock,
} from './lock-file.ts';
import { askOwnerSocket, openOwnerSocket } from './owner-socket.ts';
import { findFate, identifyProcess, isOnSameMachine } from './process-identity.ts';

const LOOK_MS = 500;

interface Deps {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly wait: (ms: number) => Promise<unknown>;
}

/** Takes the data directory for this process. Rejects with DATA_DIR_LOCKED if another has it, or this one already. */
export async function lockDirectory(directory: string, given: Partial<Deps> = {}): Promise<HeldLock> {
  const deps: Deps = { clock: systemClock, logger: silentLogger, wait: sleep, ...given };
  const folder = resolve(directory);
  for (;;) {
    const found = readLock(folder);
    if (found && !(await isOver(folder, found, deps))) throw inUse(folder, found);
    if (found) removeStale(folder, found);
    const lock = await tryLock(folder, deps.clock);
    if (lock) return lock;
  }
}

/** Whether a process that is certain to live has the data directory. */
export async function isLocked(directory: string): Promise<boolean> {
  const folder = resolve(directory);
  const found = tryToRead(folder);
  return found?.owner !== undefined && (await findOwnersFate(folder, found.owner)) === 'lives';
}

/** When the data directory was taken, by its owner's clock. Undefined if nobody has it. */
export function lockedAt(directory: string): DateTime | undefined {
  const since = tryToRead(resolve(directory))?.owner?.since;
  return since === undefined ? undefined : DateTime.fromISO(since);
}

async function isOver(folder: string, found: FoundLock, { logger, wait }: Deps): Promise<boolean> {
  // It is linked into place whole and on the disk, so that somebody else has written one that names nobody.
  if (!found.owner) return false;
  const fate = await findOwnersFate(folder, found.owner);
  if (fate !== 'unknown') return fate === 'gone';
  const seconds = STILL_MS / 1000;
  logger.warn(
    { directory: folder, host: found.owner.host },
    `the last owner of the data directory may live: it is taken over if it makes no move in ${seconds} seconds`,
  );
  return standsStill(folder, found, wait);
}

async function findOwnersFate(folder: string, owner: Owner): Promise<'lives' | 'gone' | 'unknown'> {
  const fate = findFate(owner);
  if (fate !== 'unknown' || !owner.socket) return fate;
  return askOwnerSocket(folder, owner.socket, isOnSameMachine(owner, identifyProcess()));
}

/** Looks are counted, no clocks compared: where both machines were paused, both go on from here. */
async function standsStill(folder: string, before: FoundLock, wait: Deps['wait']): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < STILL_MS; waitedMs += LOOK_MS) {
    await wait(LOOK_MS);
    const now = readLock(folder);
    if (now?.line !== before.line) return true;
    if (now.beat !== before.beat) return false;
  }
  return true;
}

/** Moved aside first: if another process replaced the lock meanwhile, its lock is put back. */
function removeStale(folder: string, { line, owner }: FoundLock): void {
  if (readLock(folder)?.line !== line) return;
  const aside = `lock.${newId()}.old`;
  try {
    renameSync(join(folder, 'lock'), join(folder, aside));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (readLock(folder, aside)?.line !== line) tryToLink(join(folder, aside), join(folder, 'lock'));
  else if (owner?.socket) rmSync(join(folder, owner.socket.name), { force: true });
  rmSync(join(folder, aside), { force: true });
}

/** Undefined if there is a lock. It is linked into place whole, so that no other process ever sees one without its owner. */
async function tryLock(folder: string, clock: Clock): Promise<HeldLock | undefined> {
  const id = newId();
  const socket = await openOwnerSocket(join(folder, `lock.${id}`));
  const owner: Owner = { id, ...identifyProcess(), since: clock.now().toUTC().toISO(), socket };
  const line = JSON.stringify(ownerSchema.parse(owner));
  const draft = join(folder, `lock.${id}.new`);
  const path = join(folder, 'lock');
  let isOurs = false;
  try {
    writeLock(draft, line);
    isOurs = tryToLink(draft, path);
  } finally {
    rmSync(draft, { force: true });
    if (!isOurs) socket?.close();
  }
  return isOurs ? holdLock({ path, line }, socket) : undefined;
}

function tryToLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

const newId = (): string => randomBytes(4).toString('hex');

function inUse(folder: string, { owner }: FoundLock): PluginError {
  if (!owner)
    return new PluginError('DATA_DIR_LOCKED', `${join(folder, 'lock')} names no process: it was damaged.`, {
      help: 'Another process may have the folder, and two would ruin the database. Stop every one that uses it, then delete that file.',
    });
  return new PluginError('DATA_DIR_LOCKED', `${folder} is in use by ${describeOwner(owner)}.`, {
    help: 'Run commands where that process runs (in its container: `docker exec`). Stop that process if it does not answer: with it every payment and email stops at once. For a second one choose another DATA_DIR, or set DATABASE_URL to share one PostgreSQL.',
  });
}
