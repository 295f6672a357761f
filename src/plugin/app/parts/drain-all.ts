import { DateTime } from 'luxon';
import type { Clock } from '../../../core/base/clock.ts';
import type { Jobs } from '../../../core/jobs/jobs.ts';
import type { PluginQueues } from '../../jobs/queues.ts';

type Drainable = Pick<Jobs<PluginQueues>, 'drain' | 'nextDueAt'>;

/** Work of one side makes work for the other, so both are drained until neither has any. */
export async function drainAll(sides: readonly Drainable[], settled: () => Promise<void>): Promise<number> {
  let total = 0;
  for (;;) {
    let round = 0;
    for (const side of sides) round += await side.drain();
    await settled();
    if (round === 0) return total;
    total += round;
  }
}

/** When the next job of any of them falls due. */
export async function earliest(sides: readonly Drainable[]): Promise<DateTime<true> | undefined> {
  const times = (await Promise.all(sides.map((side) => side.nextDueAt()))).filter(
    (time) => time !== undefined,
  );
  return times.length === 0 ? undefined : DateTime.min(...times);
}

/**
 * Runs due work on a simulated clock. `look` gives a job to work that has none; such work appears once time has passed or a
 * person changed something while nothing was due, so not between two calls that both find work.
 */
export function createDueRunner(parts: {
  clock: Clock;
  look: () => Promise<void>;
  drain: () => Promise<number>;
}): () => Promise<number> {
  const { clock, look, drain } = parts;
  let last = { atMs: 0, count: 0 };
  return async () => {
    const atMs = clock.now().toMillis();
    if (atMs !== last.atMs || last.count === 0) await look();
    last = { atMs, count: await drain() };
    return last.count;
  };
}
