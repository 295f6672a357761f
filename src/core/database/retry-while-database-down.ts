import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseAwayError } from '../base/errors.ts';

const AGAIN_MS = 500;

/**
 * Does `work`, and does it again for as long as the database is away. Rejects with any other error, also when the database
 * was closed here, and at once where `shouldStop` says so. `work` may have been done although its answer was lost, so
 * that doing it twice must change nothing.
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
