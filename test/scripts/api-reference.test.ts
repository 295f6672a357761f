/** The API reference is made of the doc comments of what the package exports. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { IS_FULL_RUN } from '../support/runner/full-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'api-reference-'));
afterAll(() => rmSync(folder, { recursive: true }));

// It reads and types every source: half a minute.
(IS_FULL_RUN ? test : test.skip)(
  'the API reference is made without a warning: everything that is exported is explained, and every link leads somewhere',
  async () => {
    await promisify(execFile)(process.execPath, ['--import', 'tsx', 'scripts/docs/api-reference.ts', folder]);
    const page = readFileSync(join(folder, 'functions/createPlugin.md'), 'utf8');
    expect(page).toContain('throws a ConfigError that lists every problem');
  },
);
