import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { systemClock } from '../core/base/clock.ts';
import { createProgressLine, type ProgressOutput } from '../plugin/operator/text/progress-line.ts';
import { loadConfig } from '../plugin/settings/config.ts';
import type { Wait } from '../workbench/rehearse/rehearsal-clock.ts';
import { rehearse } from '../workbench/rehearse/rehearse.ts';
import { interruption, type Terminal } from './process/interruption.ts';

const rehearseOptions = z.object({ keep: z.boolean().default(false) });

/** Exit code 0 if every step came about; 1 also if a person ended it, after everything made at Stripe was removed. */
export function runRehearse(options: unknown, terminal: Terminal = interruption()): Promise<number> {
  const { keep } = rehearseOptions.parse(options);
  return untilInterrupted(terminal, async (signal) => {
    const config = loadConfig({}, process.env);
    const { write, onStep, wait } = showSteps(terminal.output, waitUntil(signal));
    await rehearse({ config, clock: systemClock, write, onStep, wait, signal, isKept: keep });
    return 0;
  });
}

/** Runs what changes a test account. Exit code 1 if a person ended it. */
export async function untilInterrupted(
  { output, interrupted }: Terminal,
  play: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
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

/** On a terminal, the progress and the seconds waited for Stripe stand below what is written. */
export function showSteps(output: ProgressOutput, wait: Wait) {
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

export const waitUntil = (signal: AbortSignal) => (ms: number) => delay(ms, undefined, { signal });
