/** What test files of a run share and few runs need: made by the first that asks, in a process of its own. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** An empty embedded database, one that a first start has prepared, and programs of ours, compiled. */
export type Part = 'empty' | 'migrated' | 'programs';

export const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const SCRIPT = fileURLToPath(new URL('prepare-part.ts', import.meta.url));
const PAUSE_MS = 50;

/** The folder that holds it. Undefined outside a test run, where nobody would remove it. */
export function findPrepared(part: Part): string | undefined {
  // Set by `jest-setup.js`.
  const shared = process.env.RUN_DIR;
  if (!shared) return undefined;
  const folder = join(shared, part);
  const isReady = () => existsSync(`${folder}.ready`);
  while (!isReady()) {
    if (takeTurn(`${folder}.turn`)) {
      try {
        if (!isReady())
          execFileSync(process.execPath, ['--import', TSX, SCRIPT, part, folder], { stdio: 'pipe' });
        writeFileSync(`${folder}.ready`, '');
      } finally {
        rmdirSync(`${folder}.turn`);
      }
    } else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  return folder;
}

function takeTurn(name: string): boolean {
  try {
    mkdirSync(name);
    return true;
  } catch {
    return false;
  }
}
