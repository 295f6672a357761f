import { setTimeout } from 'node:timers/promises';

/** Between two looks: what comes at once is seen at once, and what takes seconds is not asked for a thousand times. */
const PAUSE_MS = { first: 20, most: 250, growth: 1.2 };

/** Bounds a hang and nothing else: whatever is looked for comes in seconds, on a busy machine in many. */
const PATIENCE_MS = 90_000;

/** Looks until the assertions hold, for the few things that happen in real time. Fails with the last objection. */
export async function eventually<T>(look: () => T | Promise<T>, withinMs = PATIENCE_MS): Promise<T> {
  const end = Date.now() + withinMs;
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * PAUSE_MS.growth, PAUSE_MS.most)) {
    await setTimeout(pauseMs);
    try {
      return await look();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}
