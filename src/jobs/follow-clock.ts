/** Notices that the clock was set back, so that the queue does not stand still until it has caught up. */
import { DatabaseAwayError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Database } from '../store/engine/database.ts';
import { isAhead, pullBack } from '../store/engine/queued-jobs.ts';
import { repeatEvery } from './repeat-every.ts';

/** How late that may be. */
export const CLOCK_CHECK_SECONDS = 10;

/** In real time. Returns what ends it. */
export function followClock(database: Database, schema: string, logger: Logger): () => void {
  return repeatEvery(CLOCK_CHECK_SECONDS * 1000, async () => {
    try {
      if (!(await isAhead(database, schema))) return;
      await pullBack(database, schema);
      logger.warn({ schema }, 'the clock was set back: what waits for the time that comes again is done now');
    } catch (error) {
      if (!(error instanceof DatabaseAwayError))
        logger.error({ err: error, schema }, 'the job queue could not be read');
    }
  });
}
