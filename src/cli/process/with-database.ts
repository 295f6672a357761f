import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadDatabaseLocation } from '../../config/config.ts';
import { PluginError } from '../../kit/errors.ts';
import type { Database } from '../../store/engine/database.ts';
import { migratePlugin } from '../../store/engine/migrate.ts';
import { openDatabase } from '../../store/engine/open-database.ts';

/** Opens the database of the settings, brings it up to date, and closes it after `work`. Needs no other setting. */
export async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const location = loadDatabaseLocation();
  if (location.kind === 'embedded' && !existsSync(location.directory)) {
    throw new PluginError('NOT_FOUND', `There is no database in ${resolve(location.directory)}.`, {
      help: 'Run the command where the plugin runs, or set DATA_DIR or DATABASE_URL as it has them.',
    });
  }
  const database = await openDatabase(location);
  try {
    await migratePlugin(database);
    return await work(database);
  } finally {
    await database.close();
  }
}
