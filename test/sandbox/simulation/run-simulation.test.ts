import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { runSimulate } from '../../../src/sandbox/simulation/run-simulation.ts';

const noted: string[] = [];
beforeEach(() => {
  noted.length = 0;
  mock.method(process.stderr, 'write', (text: unknown) => {
    noted.push(String(text));
    return true;
  });
});
afterEach(() => {
  mock.restoreAll();
});

test('prints tables with intervals and writes them beside a plot; the same seed gives the same', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'simulate-'));
  const runs: string[] = [];
  for (const _run of [1, 2]) {
    let text = '';
    const options = { seed: '5', seeds: '2', cases: '24', world: 'R', out: directory };
    const code = await runSimulate(options, (part) => {
      text += part;
    });
    expect(code).toBe(0);
    runs.push(text);
  }
  expect(runs[0]).toBe(runs[1]);
  expect(runs[0]).toMatch(/\| clairvoyant bound +\| \d+\.\d ±\d+\.\d/);
  expect(runs[0]).toContain('they are not recovery rates');
  expect(await readFile(join(directory, 'simulation.md'), 'utf8')).toBe(runs[0]);
  expect(await readFile(join(directory, 'simulation.svg'), 'utf8')).toMatch(/^<svg /);
  await rm(directory, { recursive: true });
});

test.each([
  [{ world: 'Z' }, /no world 'Z'.*'R, all weekly pay'/],
  [{ seeds: '0' }, /--seeds must be a whole number from 1 to 100/],
  [{ seed: 'x' }, /--seed must be/],
  [{ cases: '1.5' }, /--cases must be/],
])('refuses %j and says what fits', async (options, message) => {
  expect(await runSimulate(options, () => undefined)).toBe(1);
  expect(noted.join('')).toMatch(message);
});
