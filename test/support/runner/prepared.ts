/** What test files of a run share and few runs need: made by the first that asks, in a process of its own. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compiledPath } from './compiled-tests.js';

/** An empty embedded database, one that a first start has prepared, programs of ours, compiled, and what `npm pack` makes. */
export type Part = 'empty' | 'migrated' | 'programs' | 'package';

export const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAUSE_MS = 50;

/** What Node is given to run one of the files that `compiled-tests.js` names, in a process of its own. */
export function scriptOf(path: string): readonly string[] {
  return process.env.COMPILED_TESTS ? [compiledPath(path)] : ['--import', TSX, join(ROOT, path)];
}

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
          execFileSync(process.execPath, [...scriptOf('test/support/runner/prepare-part.ts'), part, folder], {
            stdio: 'pipe',
          });
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
