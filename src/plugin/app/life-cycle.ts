/** A running plugin is a list of parts: they start in its order and stop in the reverse one. */
import { DatabaseAwayError, DatabaseDamagedError } from '../../core/base/errors.ts';

export interface Part {
  readonly start?: () => unknown;
  readonly stop?: () => unknown;
}

export function createLifeCycle(parts: readonly Part[]) {
  /** Stops each part although another fails: a database that is away must not keep a port open. */
  async function stop(): Promise<void> {
    const failures: unknown[] = [];
    for (const part of parts.toReversed()) {
      try {
        await part.stop?.();
      } catch (error) {
        // While it is away nothing can be recorded; the other processes, and the next start, find out.
        if (!(error instanceof DatabaseAwayError || error instanceof DatabaseDamagedError))
          failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be closed.');
  }

  return {
    /** Rejected, it leaves nothing at work: a port or a timer left behind would keep the process alive. */
    start: async () => {
      try {
        for (const part of parts) await part.start?.();
      } catch (error) {
        // Why it did not start says more than what could not be closed.
        await stop().catch(() => {});
        throw error;
      }
    },
    stop,
  };
}
