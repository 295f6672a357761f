import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSimulate } from '../../../scripts/simulate/run-simulation.ts';

function toTerminal(said: string[], interrupted = new Promise<void>(() => {})) {
  const output = { write: (text: string) => said.push(text) };
  return { output, progress: { write: () => {} }, interrupted };
}

test('prints tables with intervals and writes them beside a plot; the same seed gives the same', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'simulate-'));
  const runs: string[] = [];
  for (const _run of [1, 2]) {
    const said: string[] = [];
    const options = { seed: '5', seeds: '2', cases: '24', world: 'R', out: directory };
    expect(await runSimulate(options, toTerminal(said))).toBe(0);
    runs.push(said[0] ?? '');
  }
  expect(runs[0]).toBe(runs[1]);
  expect(runs[0]).toMatch(/\| clairvoyant bound +\| \d+\.\d ±\d+\.\d/);
  expect(runs[0]).toContain('they are not recovery rates');
  expect(runs[0]).not.toMatch(/goal|NaN/i);
  expect(await readFile(join(directory, 'goals.md'), 'utf8')).toContain('met');
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
  await expect(runSimulate(options, toTerminal([]))).rejects.toThrow(message);
});

test('one seed alone has no interval, in the goals neither', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'simulate-'));
  const said: string[] = [];
  await runSimulate({ seeds: '1', cases: '24', out: directory }, toTerminal(said));
  expect(said.join('') + (await readFile(join(directory, 'goals.md'), 'utf8'))).not.toContain('NaN');
  await rm(directory, { recursive: true });
});

test('who stops it is told that nothing was written', async () => {
  const said: string[] = [];
  const terminal = toTerminal(said, Promise.resolve());
  const options = { cases: '24' };
  expect(await runSimulate(options, { ...terminal, progress: terminal.output })).toBe(1);
  expect(said.join('')).toContain('Stopped. Nothing was written');
});
