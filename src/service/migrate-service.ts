import type { Database } from '../core/database/database.ts';
import { migrate, type TellMigration } from '../core/database/migrate.ts';

const SERVICE = { schema: 'retry_service', folder: new URL('./migrations/', import.meta.url) };

/** Brings the service's own tables up to date. */
export function migrateService(database: Database, tell?: TellMigration): Promise<string[]> {
  return migrate(database, SERVICE, tell);
}
