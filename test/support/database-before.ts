import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Database } from '../../src/store/engine/database.ts';
import { migrate } from '../../src/store/engine/migrate.ts';
import { openDatabase } from '../../src/store/engine/open-database.ts';
import type { Engine } from './databases.ts';

const FOLDERS = {
  payment_retry: '../../src/store/migrations/',
  retry_service: '../../src/service/migrations/',
};

/** Tables as they were before a migration, by its number; `migratePlugin` or `migrateService` then does the rest. */
export async function openBefore(
  { create }: Pick<Engine, 'create'>,
  number: string,
  schema: keyof typeof FOLDERS = 'payment_retry',
): Promise<{ database: Database; close: () => Promise<void> }> {
  const { location, remove } = await create();
  const migrations = fileURLToPath(new URL(FOLDERS[schema], import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'payment-retry-migrations-'));
  for (const name of readdirSync(migrations))
    if (name < number) copyFileSync(join(migrations, name), join(folder, name));
  const database = await openDatabase(location);
  await migrate(database, schema, pathToFileURL(`${folder}/`));
  rmSync(folder, { recursive: true });
  return {
    database,
    close: async () => {
      await database.close();
      await remove();
    },
  };
}
