import { loadDatabaseLocation } from '../config.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { migratePlugin } from '../store/migrate.ts';

/** Opens the database of the settings, brings it up to date, and closes it after `work`. Needs no other setting. */
export async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await openDatabase(loadDatabaseLocation());
  try {
    await migratePlugin(database);
    return await work(database);
  } finally {
    await database.close();
  }
}
