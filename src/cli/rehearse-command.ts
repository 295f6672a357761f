import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { loadConfig } from '../config/config.ts';
import { systemClock } from '../kit/clock.ts';
import { rehearse } from '../rehearsal/rehearse.ts';
import { interruption, type Terminal } from './process/interruption.ts';

const rehearseOptions = z.object({ keep: z.boolean().default(false) });

/** Exit code 0 if every step came about; 1 also if a person ended it, after what it had made was removed. */
export async function runRehearse(options: unknown, terminal: Terminal = interruption()): Promise<number> {
  const { output, interrupted } = terminal;
  const controller = new AbortController();
  void interrupted.then(() => {
    output.write('Stopping: what was made at Stripe is removed first.\n');
    controller.abort();
  });
  const { signal } = controller;
  try {
    await rehearse({
      config: loadConfig(),
      clock: systemClock,
      write: (text) => output.write(text),
      wait: (ms) => delay(ms, undefined, { signal }),
      signal,
      isKept: rehearseOptions.parse(options).keep,
    });
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    output.write('Stopped.\n');
    return 1;
  }
}
