import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Database, openDatabase } from '../../src/store/engine/database.ts';
import { migrate } from '../../src/store/engine/migrate.ts';
import type { Engine } from './databases.ts';

const MIGRATIONS = fileURLToPath(new URL('../../src/store/migrations/', import.meta.url));

/** The plugin's tables as they were before a migration, by its number; `migratePlugin` then does the rest. */
export async function openBefore(
  { create }: Pick<Engine, 'create'>,
  number: string,
): Promise<{ database: Database; close: () => Promise<void> }> {
  const { location, remove } = await create();
  const folder = mkdtempSync(join(tmpdir(), 'payment-retry-migrations-'));
  for (const name of readdirSync(MIGRATIONS))
    if (name < number) copyFileSync(join(MIGRATIONS, name), join(folder, name));
  const database = await openDatabase(location);
  await migrate(database, 'payment_retry', pathToFileURL(`${folder}/`));
  rmSync(folder, { recursive: true });
  return {
    database,
    close: async () => {
      await database.close();
      await remove();
    },
  };
}
