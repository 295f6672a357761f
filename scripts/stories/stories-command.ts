import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { interruption, type Terminal } from '../../src/cli/process/interruption.ts';
import { showSteps, untilInterrupted, waitUntil } from '../../src/cli/run-rehearsal.ts';
import { systemClock } from '../../src/core/base/clock.ts';
import { codeOf, UsageError } from '../../src/core/base/errors.ts';
import { loadStripeKey } from '../../src/plugin/settings/config.ts';
import { startSandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { playStory, type Story } from './play-story.ts';
import { STORIES } from './stories.ts';
import { describeDifference, type Play, printPlay, readPrint } from './story-print.ts';

const storyOptions = z.object({
  story: z.string().optional(),
  sandbox: z.boolean().default(false),
  compare: z.string().optional(),
});

/** Exit code 1 if a step failed, a person ended it, or the prints differ. */
export async function runStories(options: unknown, terminal: Terminal = interruption()): Promise<number> {
  const { story: name, sandbox, compare } = storyOptions.parse(options);
  if (name === undefined) {
    if (sandbox || compare !== undefined) throw new UsageError(['--sandbox and --compare go with --story']);
    return listStories(terminal);
  }
  const story = STORIES.find((one) => one.name === name);
  if (story === undefined)
    throw new UsageError([`--story ${name} is not known: \`npm run stories\` lists all`]);
  const saved = compare === undefined ? undefined : readSaved(compare, name);
  return untilInterrupted(terminal, async (signal) => {
    const play = await (sandbox ? playOnSandbox : playOnTestAccount)(story, signal);
    const write: Write = (text) => terminal.output.write(text);
    if (saved) return reportDifference(saved, play, write);
    write(printPlay(play));
    return 0;
  });
}

function listStories({ output }: Terminal): number {
  const width = Math.max(...STORIES.map(({ name }) => name.length));
  for (const { name, about } of STORIES) output.write(`${name.padEnd(width)}  ${about}\n`);
  return 0;
}

type Write = (text: string) => unknown;

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
