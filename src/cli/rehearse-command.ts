import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { loadConfig } from '../config/config.ts';
import { rehearse } from '../rehearsal/rehearse.ts';

const rehearseOptions = z.object({ keep: z.boolean().default(false) });

/** Exit code 0 if every step came about. */
export async function runRehearse(options: unknown): Promise<number> {
  await rehearse({
    config: loadConfig(),
    clock: systemClock,
    write: (text) => process.stdout.write(text),
    wait: (ms) => delay(ms),
    isKept: rehearseOptions.parse(options).keep,
  });
  return 0;
}
