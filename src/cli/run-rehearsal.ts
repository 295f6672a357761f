import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../core/base/clock.ts';
import { createProgressLine, type ProgressOutput } from '../plugin/operator/text/progress-line.ts';
import { loadConfig } from '../plugin/settings/config.ts';
import type { Wait } from '../workbench/rehearse/rehearsal-clock.ts';
import { rehearse } from '../workbench/rehearse/rehearse.ts';
import { interruption, type Terminal } from './process/interruption.ts';

/** Plays the rehearsal. Exit code 1 if a step failed or a person ended it; what it created at Stripe is removed unless kept. */
export function runRehearsal(isKept: boolean, terminal: Terminal = interruption()): Promise<number> {
  return untilInterrupted(terminal, async (signal) => {
    const config = loadConfig({}, process.env);
    const { write, onStep, wait } = showSteps(terminal.output, waitUntil(signal));
    await rehearse({ config, clock: systemClock, write, onStep, wait, signal, isKept });
    return 0;
  });
}

/** Plays something that changes a test account. Exit code 1 if a person ended it. */
export async function untilInterrupted(
  { output, interrupted }: Terminal,
  play: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const controller = new AbortController();
  void interrupted.then(() => {
    output.write(`${output.isTTY ? '\n' : ''}Stopping: everything created at Stripe is removed first.\n`);
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

/** Shows, on a terminal, the progress and the seconds waited for Stripe below the text. */
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
