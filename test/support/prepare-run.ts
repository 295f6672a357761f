/** What all test files share: PostgreSQL, databases to copy (empty, and prepared as by a first start), compiled programs. */
import { compilePrograms } from './compiled-program.ts';
import { createDataTemplate } from './data-directory.ts';
import { migrateAll } from './migrated-database.ts';
import { findTestPostgres } from './postgres-server.ts';

export interface PreparedRun {
  /** For `data-directory.ts`, `databases.ts` and `compiled-program.ts`. Without DATABASE_URL_TEST there is no PostgreSQL. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function prepareRun(): Promise<PreparedRun> {
  const compiling = compilePrograms();
  const empty = await createDataTemplate();
  const migrated = await createDataTemplate(empty.directory);
  await migrateAll({ kind: 'embedded', directory: migrated.directory });
  const postgres = await findTestPostgres();
  const database = await postgres?.createDatabase();
  if (database) await migrateAll({ kind: 'postgres', url: database });
  const compiled = await compiling;
  return {
    variables: {
      COMPILED_DIR: compiled.directory,
      EMPTY_DATA_DIR: empty.directory,
      MIGRATED_DATA_DIR: migrated.directory,
      ...(postgres ? { DATABASE_URL_TEST: postgres.url } : {}),
      ...(database ? { MIGRATED_DATABASE: database } : {}),
    },
    stop: async () => {
      compiled.remove();
      empty.remove();
      migrated.remove();
      await postgres?.stop();
    },
  };
}
