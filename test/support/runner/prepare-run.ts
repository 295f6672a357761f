/** PostgreSQL and a database prepared as by a first start, which nearly every run needs. `prepared.ts` makes the rest. */

import { keepPreparedFile } from '../../../src/core/database/pglite/empty-database.js';
import { migrateAll } from '../../../src/plugin/app/migrate-all.ts';
import { findTestPostgres } from '../database/postgres-server.ts';

export interface PreparedRun {
  /** For `databases.ts`. Without DATABASE_URL_TEST there is no PostgreSQL. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function prepareRun(): Promise<PreparedRun> {
  const [postgres] = await Promise.all([findTestPostgres(), keepPreparedFile()]);
  // Not beside the file: while that is made nothing else goes on here, for longer than a session may be idle within a transaction.
  const database = await postgres?.createDatabase();
  if (database) await migrateAll({ kind: 'postgres', url: database });
  return {
    variables: {
      ...(postgres ? { DATABASE_URL_TEST: postgres.url } : {}),
      ...(database ? { MIGRATED_DATABASE: database } : {}),
    },
    stop: async () => postgres?.stop(),
  };
}
