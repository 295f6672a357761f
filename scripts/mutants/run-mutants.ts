/**
 * Which tests notice which planted fault: `npm run mutants` for all, `npm run mutants -- KEY claim` for those whose names hold one of the words.
 * Each is planted in a copy of the project, alone, and the layers are played on it, the quickest first, until one fails: MUTANT_LAYERS, of
 * `tests` (the suites that it names), `points` (CRASH_SHARE of the crash points, 1/40) and `soak` (the stories of SOAK_SEEDS, 2,3).
 * Ends with 1 where a fault survives all of them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTestPostgres } from '../../test/support/database/postgres-server.ts';
import { MUTANTS, type Mutant, plant } from './mutants.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What the layers read of the project. */
const COPIED = [
  ...[
    'src',
    'test',
    'scripts',
    'manifest',
    'docs',
    '.ci',
    '.github',
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
  ],
  ...['package.json', 'package-lock.json', 'jest.config.js', 'tsconfig.json', 'tsconfig.build.json'],
];
/** Whoever is not done by then hangs, which is noticed, too. */
const MOST_MS = 6 * 60_000;

/** `broken`: nothing was played, so nothing is said about the fault. */
type Verdict = { readonly kind: 'killed' | 'alive' | 'broken'; readonly by: string };

/** The project's copy that a fault is planted in. */
interface Plot {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

type Layer = (plot: Plot, mutant: Mutant) => Promise<Verdict>;

const LAYERS: Readonly<Record<string, Layer>> = {
  tests: playTests,
  points: (plot) => playSoak(plot, { SOAK_PART: 'points', CRASH_SHARE: process.env.CRASH_SHARE ?? '1/40' }),
  soak: async (plot) => {
    for (const seed of (process.env.SOAK_SEEDS ?? '2,3').split(',')) {
      const verdict = await playSoak(plot, {
        SOAK_SEED: seed,
        SOAK_STEPS: process.env.SOAK_STEPS ?? '8',
        SOAK_ENGINE: 'postgres',
      });
      if (verdict.kind !== 'alive') return { ...verdict, by: `seed ${seed}: ${verdict.by}` };
    }
    return { kind: 'alive', by: '' };
  },
};

const words = process.argv.slice(2).map((word) => word.toLowerCase());
const chosen = MUTANTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const layers = (process.env.MUTANT_LAYERS ?? Object.keys(LAYERS).join(',')).split(',');
const postgres = await findTestPostgres();
const folder = mkdtempSync(join(tmpdir(), 'payment-retry-mutants-'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
let survivors = 0;
try {
  const plot = { folder, env: { ...process.env, ...(postgres && { DATABASE_URL_TEST: postgres.url }) } };
  for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  for (const mutant of chosen) if (!(await judge(plot, mutant))) survivors += 1;
} finally {
  await postgres?.stop();
}
print(`${chosen.length - survivors} of ${chosen.length} planted faults were noticed.`);
process.exitCode = survivors === 0 ? 0 : 1;

/** Whether it was noticed. */
async function judge(plot: Plot, mutant: Mutant): Promise<boolean> {
  const file = join(plot.folder, mutant.file);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, plant(mutant, text));
  try {
    for (const name of layers) {
      const begunAt = Date.now();
      const verdict = await LAYERS[name]?.(plot, mutant);
      if (!verdict) throw new Error(`There is no layer ${name}: ${Object.keys(LAYERS).join(', ')}.`);
      print(
        `${mutant.name}: ${name} ${verdict.kind}, ${Math.round((Date.now() - begunAt) / 1000)} s ${verdict.by}`,
      );
      if (verdict.kind === 'killed') return true;
    }
    return false;
  } finally {
    writeFileSync(file, text);
  }
}

async function playTests(plot: Plot, { killedBy }: Mutant): Promise<Verdict> {
  const failure = join(plot.folder, 'first-failure');
  rmSync(failure, { force: true });
  const flags = ['--reporters', './scripts/mutants/first-failure.js', '-w', '1', '--testTimeout', '120000'];
  const env = { ...plot.env, FIRST_FAILURE: failure, TEST_ALL: '1' };
  const { code, text } = await run({ ...plot, env }, [
    'node_modules/jest/bin/jest.js',
    ...flags,
    ...killedBy,
  ]);
  if (code === undefined) return { kind: 'killed', by: 'it hangs' };
  if (existsSync(failure)) return { kind: 'killed', by: readFileSync(failure, 'utf8') };
  return code === 0 ? { kind: 'alive', by: '' } : { kind: 'broken', by: text.slice(-400) };
}

async function playSoak(plot: Plot, settings: Record<string, string>): Promise<Verdict> {
  const { code, text } = await run({ ...plot, env: { ...plot.env, ...settings } }, [
    ...['--import', 'tsx', 'scripts/soak/soak.ts'],
  ]);
  if (code === undefined) return { kind: 'killed', by: 'it hangs' };
  if (code === 0) return { kind: 'alive', by: '' };
  // The first thing that does not balance.
  const violation = text.split('\n').find((line) => line.startsWith('  ')) ?? text;
  return { kind: text.includes('npm run soak') ? 'killed' : 'broken', by: violation.trim() };
}

/** `code` is undefined where it had to be ended. What it started and left ends with it. */
async function run({ folder, env }: Plot, args: readonly string[]): Promise<{ code?: number; text: string }> {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => endGroup(child.pid);
  process.once('exit', end);
  const alarm = setTimeout(end, MOST_MS);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      text += part;
    });
  const [code] = await once(child, 'exit');
  clearTimeout(alarm);
  process.off('exit', end);
  end();
  return code === null ? { text } : { code, text };
}

function endGroup(id: number | undefined): void {
  try {
    if (id !== undefined) process.kill(-id, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

function print(line: string): void {
  process.stdout.write(`${line.replaceAll(/\s+/g, ' ').slice(0, 300)}\n`);
}
