import type { Jobs } from '../jobs/jobs.ts';
import type { PluginQueues } from '../jobs/queues.ts';

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
export async function earliest(sides: readonly Drainable[]): Promise<Date | undefined> {
  const times = (await Promise.all(sides.map((side) => side.nextDueAt()))).filter(
    (time) => time !== undefined,
  );
  return times.length === 0 ? undefined : new Date(Math.min(...times.map((time) => time.getTime())));
}
