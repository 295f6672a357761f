/** What all test files share: one PostgreSQL, and databases to copy, an empty one and one that a first start has prepared. */
import { createDataTemplate } from './data-directory.ts';
import { migrateAll } from './migrated-database.ts';
import { findTestPostgres } from './postgres-server.ts';

export interface PreparedRun {
  /** For `data-directory.ts` and `databases.ts`. Without DATABASE_URL_TEST there is no PostgreSQL. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function prepareRun(): Promise<PreparedRun> {
  const empty = await createDataTemplate();
  const migrated = await createDataTemplate(empty.directory);
  await migrateAll({ kind: 'embedded', directory: migrated.directory });
  const postgres = await findTestPostgres();
  const database = await postgres?.createDatabase();
  if (database) await migrateAll({ kind: 'postgres', url: database });
  return {
    variables: {
      EMPTY_DATA_DIR: empty.directory,
      MIGRATED_DATA_DIR: migrated.directory,
      ...(postgres ? { DATABASE_URL_TEST: postgres.url } : {}),
      ...(database ? { MIGRATED_DATABASE: database } : {}),
    },
    stop: async () => {
      empty.remove();
      migrated.remove();
      await postgres?.stop();
    },
  };
}
