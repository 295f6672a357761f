import type { Logger } from '../../core/base/logger.ts';
import { ownVersion } from '../../core/base/own-version.ts';
import type { Database } from '../../core/database/database.ts';
import {
  compareFiles,
  type MigrationState,
  type Migrations,
  migrate,
  type TellMigration,
} from '../../core/database/migrate.ts';
import { listOtherVersions } from '../../core/database/processes.ts';

const PLUGIN: Migrations = {
  schema: 'payment_retry',
  folder: new URL('./migrations/', import.meta.url),
};

export function migratePlugin(database: Database, tell?: TellMigration): Promise<string[]> {
  return migrate(database, PLUGIN, tell);
}

/** Compares the plugin's migrations with the applied ones. */
export function compareMigrations(database: Database): Promise<MigrationState> {
  return compareFiles(database, PLUGIN);
}

/** Lists applied migrations that this version does not know: a rolling upgrade or a downgrade. */
export async function listNewerMigrations(database: Database): Promise<string[]> {
  return [...(await compareMigrations(database)).unknown].sort();
}

/** Warns if a newer version has changed the database, and says whether it is an upgrade or a downgrade. */
export async function warnOfNewerMigrations(database: Database, logger: Pick<Logger, 'warn'>) {
  const migrations = await listNewerMigrations(database);
  if (migrations.length === 0) return;
  const others = await listOtherVersions(database);
  logger.warn(
    { migrations, version: ownVersion(), others },
    others.length > 0
      ? 'a rolling upgrade: processes of a newer version are at work on this database; update this one, too'
      : 'a downgrade: a newer version changed this database, and no process of it is at work; start that version again',
  );
}
