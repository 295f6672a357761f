import { z } from 'zod';
import type { MigrationProgress } from '../core/database/migrate.ts';
import { openDatabase } from '../core/database/open-database.ts';
import { listGrants } from '../core/database/schemas.ts';
import { type Write, writeToTerminal } from '../plugin/operator/text/command-result.ts';
import { loadDatabaseLocation } from '../plugin/settings/config.ts';
import { compareMigrations, migratePlugin } from '../plugin/store/migrate-plugin.ts';

const migrateOptions = z.object({ dryRun: z.boolean().optional() });

/** Applies missing migrations and names each; `dryRun` only names them, or prints the SQL that an administrator must run first. */
export async function runMigrate(options: unknown = {}, write: Write = writeToTerminal): Promise<number> {
  const { dryRun } = migrateOptions.parse(options);
  const database = await openDatabase(loadDatabaseLocation({}, process.env));
  try {
    const grants = dryRun ? await listGrants(database) : [];
    if (grants.length > 0) {
      write(`An administrator must run first, in that database:\n${grants.join('\n')}\n`);
      return 1;
    }
    const names = dryRun
      ? (await compareMigrations(database)).pending
      : await migratePlugin(database, (progress) => write(`${describe(progress)}\n`));
    if (names.length === 0) write('nothing to do\n');
    else if (dryRun) write(names.map((name) => `would apply ${name}\n`).join(''));
    return 0;
  } finally {
    await database.close();
  }
}

function describe(progress: MigrationProgress): string {
  switch (progress.state) {
    case 'begins':
      return `applying ${progress.name} …`;
    case 'runs':
      return `applying ${progress.name} … ${progress.seconds.toFixed(0)} s`;
    case 'done':
      return `applied ${progress.name} in ${progress.seconds.toFixed(1)} s`;
    case 'waits':
      return `another session has a lock that the migration needs (${progress.reason}): the next try is in ${progress.seconds} s`;
  }
}
