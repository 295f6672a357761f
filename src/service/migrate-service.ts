import type { Database } from '../store/engine/database.ts';
import { migrate } from '../store/engine/migrate.ts';

/** Brings the service's own tables up to date. */
export function migrateService(database: Database): Promise<string[]> {
  return migrate(database, 'retry_service', new URL('./migrations/', import.meta.url));
}
