import { setInterval } from 'node:timers/promises';

const EVERY_MS = 20;

/** Bounds a hang and nothing else: whatever is looked for comes in seconds, on a busy machine in many. */
const PATIENCE_MS = 90_000;

/** Looks until the assertions hold, for the few things that happen in real time. Fails with the last objection. */
export async function eventually<T>(look: () => T | Promise<T>, withinMs = PATIENCE_MS): Promise<T> {
  const end = Date.now() + withinMs;
  for await (const _ of setInterval(EVERY_MS)) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
  throw new Error('The interval ended.');
}
