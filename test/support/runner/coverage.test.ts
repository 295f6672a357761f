/** `--coverage`, of suites whose sources are known. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { inFull } from './full-run.ts';

const report = z.record(
  z.string(),
  z.object({ f: z.record(z.string(), z.number()), s: z.record(z.string(), z.number()) }),
);

/** How often each function and statement of the sources ran. */
async function cover(suite: string, sources: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
  await promisify(execFile)(process.execPath, [
    'node_modules/jest/bin/jest.js',
    suite,
    '--coverage',
    '--coverageReporters=json',
    `--coverageDirectory=${folder}`,
    ...sources.map((path) => `--collectCoverageFrom=${path}`),
  ]);
  const counts = report.parse(JSON.parse(readFileSync(join(folder, 'coverage-final.json'), 'utf8')));
  return sources.map((path) => {
    const { f = {}, s = {} } = counts[resolve(path)] ?? {};
    return { functions: Object.values(f), statements: Object.values(s) };
  });
}

const isCounted = (count: number) => count > 0;

inFull('coverage counts calls, functions without a call and files that no test loads', async () => {
  const sources = ['src/core/base/lazy.ts', 'src/core/base/clock.ts', 'src/core/base/stable-uuid.ts'];
  const [called, loaded, missing] = await cover('test/core/base/(lazy|logged-text).test.ts', sources);
  expect(called?.functions.map(isCounted)).toEqual([true, true]);
  expect(loaded?.functions).toContain(0);
  expect(loaded?.statements.some(isCounted)).toBe(true);
  expect(missing).toEqual({ functions: [0], statements: [0, 0] });
});

inFull('coverage counts a process that a test starts', async () => {
  const [command] = await cover('test/cli/sandbox-command.test.ts', ['src/cli.ts']);
  expect(command?.functions.at(-1)).toBeGreaterThan(1);
});
