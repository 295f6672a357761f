/**
 * Stryker plays the suites many times in one process, each time with another of its mutants. They are compiled once, and each play gets modules
 * of its own: what a module makes at its import is made anew, with the fault in it.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileTests } from '../../test/support/runner/compiled-tests.js';

let folder;
let plays = 0;

export default async function setUp(_globalConfig, { testRegex }) {
  // What the mutants of this process look at; it is read from the environment again.
  delete globalThis.__stryker__?.activeMutant;
  if (folder === undefined) {
    folder = mkdtempSync(join(tmpdir(), 'payment-retry-stryker-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const isPlayed = testRegex.map((pattern) => new RegExp(pattern));
    await compileTests(join(folder, 'compiled'), (path) => isPlayed.some((pattern) => pattern.test(path)));
  }
  const before = join(folder, String(plays));
  plays += 1;
  process.env.COMPILED_TESTS = join(folder, String(plays));
  cpSync(join(folder, 'compiled'), process.env.COMPILED_TESTS, { recursive: true, verbatimSymlinks: true });
  rmSync(before, { recursive: true, force: true });
}
