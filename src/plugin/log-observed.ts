import type { Logger } from '../kit/logger.ts';
import { AFTER_OBSERVING, describeObserved, OBSERVE_MODE } from '../operator/checks/describe-observed.ts';
import type { Queryable } from '../store/engine/database.ts';
import { readObserved } from '../store/reports/observed.ts';

/** At the start: what the mode keeps back, and how to go on. */
export async function logObserved({
  database,
  logger,
}: {
  database: Queryable;
  logger: Logger;
}): Promise<void> {
  const soFar = describeObserved(await readObserved(database));
  logger.info({ soFar, help: AFTER_OBSERVING }, OBSERVE_MODE);
}
