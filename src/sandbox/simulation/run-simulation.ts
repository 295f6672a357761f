/** `simulate`: timing policies on simulated customers. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Write, writeToTerminal } from '../../operator/text/command-result.ts';
import { judge } from './goals.ts';
import { drawPlot } from './plot.tsx';
import { writeReport } from './report.ts';
import { ENTRIES, ESSENTIAL, runTournament } from './tournament.ts';
import { MAIN_WORLDS, WORLDS, type World } from './worlds.ts';

const wholeNumber = (name: string, max: number) =>
  z.coerce
    .number(`${name} must be a whole number from 1 to ${max}`)
    .int(`${name} must be a whole number from 1 to ${max}`)
    .min(1, `${name} must be a whole number from 1 to ${max}`)
    .max(max, `${name} must be a whole number from 1 to ${max}`);

const simulateOptions = z.object({
  seed: wholeNumber('--seed', 1_000_000).default(1),
  seeds: wholeNumber('--seeds', 100).default(2),
  /** Failed invoices a year, about. */
  cases: wholeNumber('--cases', 50_000).optional(),
  world: z.string().default('D'),
  out: z.string().optional(),
});

/** A subscriber has about this many failed invoices a year. */
const CASES_PER_SUBSCRIBER = 1.2;
const USUAL = 4000;

const CAVEAT =
  'These customers are simulated. The percentages compare policies with each other; they are not recovery rates.';

/**
 * Prints the table of every world asked for, with 95 % intervals over the seeds, and which goals are met; with `--out`
 * writes the table and a plot (SVG) there. Gives 1 when the options do not fit.
 */
export async function runSimulate(options: unknown, write: Write = writeToTerminal): Promise<number> {
  const parsed = simulateOptions.safeParse(options);
  if (!parsed.success) {
    process.stderr.write(`${parsed.error.issues.map(({ message }) => message).join('\n')}\n`);
    return 1;
  }
  const { seed, seeds, cases, world, out } = parsed.data;
  const worlds = WORLDS.filter(({ name }) => isAskedFor(name, world));
  if (worlds.length === 0) {
    const names = WORLDS.map(({ name }) => `'${name}'`).join(', ');
    process.stderr.write(
      `There is no world '${world}'. Give --world main (D and R), others, all, or one of ${names}.\n`,
    );
    return 1;
  }
  const results = runTournament({
    worlds: worlds.map((one) => resize(one, cases)),
    seeds: Array.from({ length: seeds }, (_, index) => seed + index),
    contestantsOf: ({ name }) => (MAIN_WORLDS.has(name) ? [...ENTRIES.keys()] : ESSENTIAL),
    onProgress: (name, of) => process.stderr.write(`world ${name}, seed ${of}: done\n`),
  });
  const report = `${writeReport(results, judge(results))}\n\n${CAVEAT}\n`;
  write(report);
  if (out !== undefined) await writeFiles(out, report, drawPlot(results.slice(0, SHOWN)));
  return 0;
}

function isAskedFor(name: string, asked: string): boolean {
  if (asked === 'main') return MAIN_WORLDS.has(name);
  if (asked === 'others') return !MAIN_WORLDS.has(name);
  return asked === 'all' || asked === name;
}

/** Worlds side by side in the plot. */
const SHOWN = 2;

function resize(world: World, cases: number | undefined): World {
  if (cases === undefined) return world;
  const subscribers = Math.max(1, Math.round(cases / CASES_PER_SUBSCRIBER));
  // A world that is about being small stays so.
  return {
    ...world,
    subscribers: world.subscribers < USUAL ? Math.min(world.subscribers, subscribers) : subscribers,
  };
}

async function writeFiles(directory: string, report: string, svg: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'simulation.md'), report);
  await writeFile(join(directory, 'simulation.svg'), svg);
}
