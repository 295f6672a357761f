import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseAwayError } from '../base/errors.ts';

const AGAIN_MS = 500;

/**
 * Repeats `work` while the database is away. Rejects with any other error, also when the database was closed here, and
 * immediately where `shouldStop` says so. `work` may have been done although its answer was lost, so repeating it must change
 * nothing.
 */
export async function retryWhileDatabaseDown<T>(
  work: () => Promise<T>,
  shouldStop: () => boolean = () => false,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseAwayError) || shouldStop()) throw error;
    }
    await sleep(AGAIN_MS);
  }
}
