/** `simulate`: timing policies on simulated customers. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { UsageError } from '../../src/core/base/errors.ts';
import {
  createProgressLine,
  drawBar,
  type ProgressOutput,
} from '../../src/plugin/operator/text/progress-line.ts';
import { judge } from './goals.ts';
import { drawPlot } from './plot.tsx';
import { writeGoals, writeReport } from './report.ts';
import { ENTRIES, ESSENTIAL, playTournament, type WorldResults } from './tournament.ts';
import { MAIN_WORLDS, OUTSIDE_WORLDS, WORLDS, type World } from './worlds.ts';

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

/** Its worlds are calibrated to published rates (stripe-facts 13.1). */
const CAVEAT =
  'These customers are simulated. The percentages compare policies with each other; they are not recovery rates.';

export interface SimulationOutput {
  readonly output: { write(text: string): unknown };
  /** Where the bar goes, so that the output can be kept. */
  readonly progress: ProgressOutput;
  readonly interrupted: Promise<void>;
}

/**
 * Prints the table of every world asked for, with 95 % intervals over the seeds; with `--out` writes it, a plot (SVG) and the goals
 * of the project there. Gives 1 after an interruption.
 */
export async function runSimulate(
  options: unknown,
  { output, progress, interrupted }: SimulationOutput,
): Promise<number> {
  const parsed = simulateOptions.safeParse(options);
  if (!parsed.success) throw new UsageError(parsed.error.issues.map(({ message }) => message));
  const { seed, seeds, cases, world, out } = parsed.data;
  const worlds = WORLDS.filter(({ name }) => isAskedFor(name, world));
  if (worlds.length === 0) {
    const names = WORLDS.map(({ name }) => `'${name}'`).join(', ');
    throw new UsageError([
      `There is no world '${world}'. Give --world main (D and R), others, outside, all, or one of ${names}.`,
    ]);
  }
  const tournament = playTournament({
    worlds: worlds.map((one) => resize(one, cases)),
    seeds: Array.from({ length: seeds }, (_, index) => seed + index),
    contestantsOf: ({ name }) =>
      MAIN_WORLDS.has(name) || OUTSIDE_WORLDS.has(name) ? [...ENTRIES.keys()] : ESSENTIAL,
  });
  const results = await showProgress(tournament, progress, interrupted);
  if (!results) {
    progress.write('Stopped. Nothing was written: the same seeds give the same results.\n');
    return 1;
  }
  const report = `${writeReport(results)}\n\n${CAVEAT}\n`;
  output.write(report);
  if (out === undefined) return 0;
  const files = {
    'simulation.md': report,
    'simulation.svg': drawPlot(results.slice(0, SHOWN)),
    'goals.md': `${writeGoals(judge(results))}\n`,
  };
  await writeFiles(out, files);
  output.write(`Written in ${out}: ${Object.keys(files).join(', ')}\n`);
  return 0;
}

/** Undefined if the person stopped it. */
async function showProgress(
  tournament: ReturnType<typeof playTournament>,
  output: ProgressOutput,
  interrupted: Promise<void>,
): Promise<WorldResults[] | undefined> {
  let isInterrupted = false;
  void interrupted.then(() => {
    isInterrupted = true;
  });
  const line = createProgressLine(output);
  try {
    for (;;) {
      const step = tournament.next();
      if (step.done) return step.value;
      line.show(`${drawBar(step.value)}${`${Math.floor(step.value * 100)} %`.padStart(6)}`);
      // Signals and the terminal get their turn.
      await nextTurn();
      if (isInterrupted) return undefined;
    }
  } finally {
    line.end();
  }
}

function isAskedFor(name: string, asked: string): boolean {
  if (asked === 'main') return MAIN_WORLDS.has(name);
  if (asked === 'outside') return OUTSIDE_WORLDS.has(name);
  if (asked === 'others') return !MAIN_WORLDS.has(name) && !OUTSIDE_WORLDS.has(name);
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

async function writeFiles(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
}
