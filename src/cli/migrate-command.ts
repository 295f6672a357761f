import { loadDatabaseLocation } from '../config/config.ts';
import { type Write, writeToTerminal } from '../operator/text/command-result.ts';
import { migratePlugin } from '../store/engine/migrate.ts';
import { openDatabase } from '../store/engine/open-database.ts';

/** Applies what is missing and names it. */
export async function runMigrate(write: Write = writeToTerminal): Promise<number> {
  const database = await openDatabase(loadDatabaseLocation());
  try {
    const applied = await migratePlugin(database);
    const done = applied.length === 0 ? 'nothing to do' : applied.map((name) => `applied ${name}`).join('\n');
    write(`${done}\n`);
    return 0;
  } finally {
    await database.close();
  }
}
