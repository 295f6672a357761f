// @ts-check
/** Keeps a process that stood still from writing into a folder that another one has taken over meanwhile. */
import { readFileSync } from 'node:fs';

/** Each look costs some twenty microseconds. */
const LOOK_MS = 10;

/**
 * `check` throws once the lock is another's or gone, and from then on. The engine may take what it throws for its own trouble and
 * answer all the same: `assertHeld` says whether the answer counts.
 * @param {import('./pglite-messages.ts').LockFile} lock
 */
export function createFence({ path, line }) {
  let lookedAt = Number.NaN;
  let isLost = false;
  const assertHeld = () => {
    if (isLost) throw Object.assign(new Error('Another process has the folder.'), { name: 'LockLostError' });
  };
  const check = () => {
    // A process that is stopped sees the one clock jump, a machine that slept the other.
    const now = performance.now() + Date.now();
    if (!isLost && Math.abs(now - lookedAt) < LOOK_MS) return;
    isLost ||= !isOurs(path, line);
    lookedAt = now;
    assertHeld();
  };
  return { check, assertHeld };
}

/**
 * @param {string} path
 * @param {string} line
 */
function isOurs(path, line) {
  try {
    return readFileSync(path, 'utf8').startsWith(`${line}\n`);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}
