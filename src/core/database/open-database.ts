/** Opens either engine. */

import { type Logger, silentLogger } from '../base/logger.ts';
import type { Database, DatabaseLocation } from './database.ts';
import { refuseMoved, refuseUnfinishedMove } from './moved-database.ts';

/**
 * Rejects with `DatabaseAwayError` if PostgreSQL cannot be reached. It is logged once when it goes away later, and
 * once when it is back. Rejects with STORE_UNAVAILABLE where the data was moved away, or is not whole yet.
 */
export async function openDatabase(
  location: DatabaseLocation,
  logger: Pick<Logger, 'info' | 'warn' | 'error'> = silentLogger,
): Promise<Database> {
  const database = await openTarget(location, logger);
  try {
    await refuseUnfinishedMove(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** As `openDatabase`, also where rows are still being brought into it. */
export async function openTarget(
  location: DatabaseLocation,
  logger: Pick<Logger, 'info' | 'warn' | 'error'> = silentLogger,
): Promise<Database> {
  if (location.kind === 'postgres') {
    const { openPostgres } = await import('./postgres-database.ts');
    return openPostgres(location.url, logger);
  }
  refuseMoved(location.directory);
  const { openEmbedded } = await import('./embedded-database.ts');
  return openEmbedded(location.directory, logger);
}
