/** The databases that tests run on. */
import { rmSync } from 'node:fs';
import type { Database, DatabaseLocation } from '../../../src/core/database/database.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { migratePlugin } from '../../../src/plugin/store/migrate-plugin.ts';
import { IS_FULL_RUN } from '../runner/full-run.ts';
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

/** Empty or one. */
export const POSTGRES: readonly Engine[] = serverUrl ? [postgresOn(serverUrl)] : [];

/** For stories that need it. Where there is none, a skipped test says so: `describe.each` takes no empty table. */
export function onPostgres(name: string, tell: (engine: Engine) => void): void {
  const [engine] = POSTGRES;
  if (engine) describe(name, () => tell(engine));
  else it.skip(`${name}: this machine has no PostgreSQL`, () => {});
}

export const EMBEDDED: Engine = embedded;

/** PostgreSQL where there is one, which is several times faster. TEST_ENGINE=embedded runs on the other. */
export const MAIN: Engine = (process.env.TEST_ENGINE === 'embedded' ? undefined : POSTGRES[0]) ?? EMBEDDED;

/** For the suites that prove an engine: storage, the queue, crashes. */
export const EVERY_ENGINE: readonly Engine[] = [EMBEDDED, ...POSTGRES];

/** For suites that would only repeat a fact on the second engine: `npm run test:all` does so. */
export const ENGINES: readonly Engine[] = IS_FULL_RUN ? EVERY_ENGINE : [MAIN];

/** As options of `createPlugin`. */
export const optionsOf = (location: DatabaseLocation) =>
  location.kind === 'postgres' ? { databaseUrl: location.url } : { dataDir: location.directory };

/** As variables of a process. */
export const variablesOf = (location: DatabaseLocation): Record<string, string> =>
  location.kind === 'postgres' ? { DATABASE_URL: location.url } : { DATA_DIR: location.directory };

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
