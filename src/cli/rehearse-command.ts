import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { systemClock } from '../core/base/clock.ts';
import { codeOf, UsageError } from '../core/base/errors.ts';
import { createProgressLine, type ProgressOutput } from '../plugin/operator/text/progress-line.ts';
import { loadConfig, loadStripeKey } from '../plugin/settings/config.ts';
import type { Wait } from '../workbench/rehearse/rehearsal-clock.ts';
import { rehearse } from '../workbench/rehearse/rehearse.ts';
import { playStory, type Story } from '../workbench/rehearse/story/play-story.ts';
import { STORIES } from '../workbench/rehearse/story/stories.ts';
import {
  describeDifference,
  type Play,
  printPlay,
  readPrint,
} from '../workbench/rehearse/story/story-print.ts';
import { startSandbox } from '../workbench/sandbox/sandbox.ts';
import { interruption, type Terminal } from './process/interruption.ts';

const rehearseOptions = z.object({
  keep: z.boolean().default(false),
  stories: z.boolean().default(false),
  story: z.string().optional(),
  sandbox: z.boolean().default(false),
  compare: z.string().optional(),
});
type RehearseOptions = z.output<typeof rehearseOptions>;

/** Exit code 0 if every step came about; 1 also if a person ended it, after what it had made was removed, or if prints differ. */
export async function runRehearse(options: unknown, terminal: Terminal = interruption()): Promise<number> {
  const parsed = rehearseOptions.parse(options);
  if (parsed.stories) return listStories(terminal);
  const play = chooseWhat(parsed, terminal);
  const { output, interrupted } = terminal;
  const controller = new AbortController();
  void interrupted.then(() => {
    output.write(`${output.isTTY ? '\n' : ''}Stopping: what was made at Stripe is removed first.\n`);
    controller.abort();
  });
  const { signal } = controller;
  try {
    return await play(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    output.write('Stopped.\n');
    return 1;
  }
}

function listStories({ output }: Terminal): number {
  const width = Math.max(...STORIES.map(({ name }) => name.length));
  for (const { name, about } of STORIES) output.write(`${name.padEnd(width)}  ${about}\n`);
  return 0;
}

type Rehearsing = (signal: AbortSignal) => Promise<number>;

function chooseWhat(options: RehearseOptions, { output }: Terminal): Rehearsing {
  const { story: name, keep, sandbox, compare } = options;
  if (name === undefined) {
    if (sandbox || compare !== undefined) throw new UsageError(['--sandbox and --compare go with --story']);
    return async (signal) => {
      const config = loadConfig({}, process.env);
      const { write, onStep, wait } = showSteps(output, waitUntil(signal));
      await rehearse({ config, clock: systemClock, write, onStep, wait, signal, isKept: keep });
      return 0;
    };
  }
  const story = STORIES.find((one) => one.name === name);
  if (story === undefined) throw new UsageError([`--story ${name} is not known: --stories lists all`]);
  const saved = compare === undefined ? undefined : readSaved(compare, name);
  return async (signal) => {
    const play = await (sandbox ? playOnSandbox : playOnTestAccount)(story, signal);
    const write: Write = (text) => output.write(text);
    if (saved) return reportDifference(saved, play, write);
    write(printPlay(play));
    return 0;
  };
}

type Write = (text: string) => unknown;

/** On a terminal, the progress and the seconds waited for Stripe stand below what is written. */
function showSteps(output: ProgressOutput, wait: Wait) {
  const line = createProgressLine(output);
  let progress = '';
  let waitedMs = 0;
  const show = () => {
    if (output.isTTY && progress !== '') line.show(`${progress}, ${Math.round(waitedMs / 1000)} s`);
  };
  return {
    write: (text: string) => output.write(output.isTTY ? `\r\u001b[K${text}` : text),
    onStep: (text: string) => {
      progress = text;
      show();
    },
    wait: async (ms: number) => {
      await wait(ms);
      waitedMs += ms;
      show();
    },
    end: () => {
      if (output.isTTY) output.write('\r\u001b[K');
    },
  };
}

const waitUntil = (signal: AbortSignal) => (ms: number) => delay(ms, undefined, { signal });

function readSaved(file: string, story: string): Play {
  const saved = readPrint(readFile(file));
  if (saved.story !== story)
    throw new UsageError([`--compare: ${file} is of the story ${saved.story}, not of ${story}`]);
  return saved;
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError([`--compare: ${file} cannot be read (${codeOf(error)})`]);
  }
}

/** Its print is for a file: the progress goes to standard error. */
async function playOnTestAccount(story: Story, signal: AbortSignal): Promise<Play> {
  const key = loadStripeKey({}, process.env);
  const { onStep, wait, end } = showSteps(process.stderr, waitUntil(signal));
  const stage = { clock: systemClock, key, place: 'A Stripe test account', wait, signal, onStep };
  return await playStory(story, stage).finally(end);
}

/** Time passes when it is waited for, and no sooner. */
async function playOnSandbox(story: Story, signal: AbortSignal): Promise<Play> {
  const sandbox = await startSandbox({ clock: systemClock, stripeRetries: 'smart' });
  try {
    const key = loadStripeKey({ stripeSecretKey: sandbox.secretKey, stripeApiBase: sandbox.url }, {});
    const wait = async () => {
      await sandbox.run();
    };
    return await playStory(story, { clock: systemClock, key, place: 'The sandbox', wait, signal });
  } finally {
    await sandbox.stop();
  }
}

function reportDifference(saved: Play, play: Play, write: Write): number {
  const difference = describeDifference(saved, play);
  const [before = 'The file', now = 'This play'] = [saved.remarks[0], play.remarks[0]];
  if (difference === '') {
    write(`The same: ${before} and ${now}.\n`);
    return 0;
  }
  write(`Story ${play.story} differs.\n- ${before}\n+ ${now}\n\n${difference}`);
  return 1;
}
