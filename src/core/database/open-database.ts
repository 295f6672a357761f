/** Opens either engine. */

import { type Logger, silentLogger } from '../base/logger.ts';
import type { Database, DatabaseLocation } from './database.ts';
import { inSchemas } from './schemas.ts';
import { refuseUnfinishedImport } from './unfinished-import.ts';

/**
 * Rejects with `DatabaseAwayError` if PostgreSQL cannot be reached. It is logged once when it goes away later, and
 * once when it is back. Rejects with STORE_UNAVAILABLE where an import into it is not finished.
 */
export async function openDatabase(
  location: DatabaseLocation,
  logger: Pick<Logger, 'info' | 'warn' | 'error'> = silentLogger,
): Promise<Database> {
  const database = await openTarget(location, logger);
  try {
    await refuseUnfinishedImport(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens it as `openDatabase` does, also in the middle of an import. */
export async function openTarget(
  location: DatabaseLocation,
  logger: Pick<Logger, 'info' | 'warn' | 'error'> = silentLogger,
): Promise<Database> {
  if (location.kind === 'postgres') {
    const { openPostgres } = await import('./postgres-database.ts');
    return inSchemas(await openPostgres(location.url, logger, location), location.schema);
  }
  const { openEmbedded } = await import('./embedded-database.ts');
  return openEmbedded(location.directory, logger);
}
