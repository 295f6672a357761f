/** The databases that tests of the store and the jobs run on: the embedded one always, PostgreSQL where there is one. */
import { rmSync } from 'node:fs';
import type { DatabaseLocation } from '../../src/config.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { migratePlugin } from '../../src/store/migrate.ts';
import { newDataDirectory, newMigratedDirectory } from './data-directory.ts';
import { emptyTables } from './empty-tables.ts';
import { connectTestPostgres } from './postgres-server.ts';

/** A database of a test's own. */
export interface TestLocation {
  readonly location: DatabaseLocation;
  remove(): Promise<void>;
}

export interface Engine {
  readonly engine: DatabaseLocation['kind'];
  /** An empty one, as before the first start. */
  create(): Promise<TestLocation>;
  /** One with all tables and queues, as after it. For tests of anything but the first start. */
  createMigrated(): Promise<TestLocation>;
}

/** An open database with the plugin's tables. */
export interface TestDatabase {
  readonly database: Database;
  readonly location: DatabaseLocation;
  /** Empties every table of the plugin. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

const embedded: Engine = {
  engine: 'embedded',
  create: async () => inDirectory(newDataDirectory()),
  createMigrated: async () => inDirectory(newMigratedDirectory()),
};

function inDirectory(directory: string): TestLocation {
  return {
    location: { kind: 'embedded', directory },
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Set by `prepare-run.ts`; without the first there is no PostgreSQL. */
const { DATABASE_URL_TEST: serverUrl, MIGRATED_DATABASE: migrated } = process.env;

function postgresOn(serverUrl: string): Engine {
  const server = connectTestPostgres(serverUrl);
  const create = async (template?: string): Promise<TestLocation> => {
    const url = await server.createDatabase(template);
    return { location: { kind: 'postgres', url }, remove: () => server.dropDatabase(url) };
  };
  return { engine: 'postgres', create: () => create(), createMigrated: () => create(migrated) };
}

/** Empty or one, so that `describe.each` defines nothing where there is no PostgreSQL. */
export const POSTGRES: readonly Engine[] = serverUrl ? [postgresOn(serverUrl)] : [];
export const ENGINES: readonly Engine[] = [embedded, ...POSTGRES];
export const EMBEDDED: Engine = embedded;

export async function openTestDatabase({ createMigrated }: Engine): Promise<TestDatabase> {
  const { location, remove } = await createMigrated();
  const database = await openDatabase(location);
  await migratePlugin(database);
  const tables = await database.query<{ name: string }>(
    `select schemaname || '.' || tablename as name from pg_tables
     where schemaname = 'payment_retry' and tablename <> 'migrations'`,
  );
  const names = tables.map(({ name }) => name);
  return {
    database,
    location,
    clear: () => emptyTables(database, names),
    close: async () => {
      await database.close();
      await remove();
    },
  };
}
