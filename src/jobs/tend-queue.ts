/** Notices what went wrong with a queue: its clock was set back, or a worker is dead. An idle queue costs one statement each time. */
import type { PgBoss } from 'pg-boss';
import { DatabaseAwayError } from '../kit/errors.ts';
import type { Logger } from '../kit/logger.ts';
import type { Database } from '../store/engine/database.ts';
import { lookForTrouble, pullBack } from '../store/engine/queued-jobs.ts';
import { repeatEvery } from './repeat-every.ts';

/** How late that may be. */
const LOOK_SECONDS = 10;
/** Without a running job there is nothing to supervise but jobs that ended a day ago. */
const LOOKS_AN_HOUR = 3600 / LOOK_SECONDS;

interface TendedQueue {
  readonly boss: PgBoss;
  readonly database: Database;
  readonly schema: string;
  readonly logger: Logger;
}

/** In real time. Returns what ends it. */
export function tendQueue({ boss, database, schema, logger }: TendedQueue): () => void {
  let looks = 0;
  return repeatEvery(LOOK_SECONDS * 1000, async () => {
    try {
      const { isAhead, isRunning } = await lookForTrouble(database, schema);
      if (isAhead && (await pullBack(database, schema)))
        logger.warn(
          { schema },
          'the clock was set back: what waits for the time that comes again is done now',
        );
      if (isRunning || looks % LOOKS_AN_HOUR === 0) await boss.supervise();
      looks += 1;
    } catch (error) {
      if (!(error instanceof DatabaseAwayError))
        logger.error({ err: error, schema }, 'the job queue could not be read');
    }
  });
}
