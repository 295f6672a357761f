import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../../core/base/errors.ts';
import { print, type StoreCommandRow } from './store-command.ts';

/** Copies the embedded database, also while it works. Exit code 1 where PostgreSQL's own tools are to be used. */
export const backup: StoreCommandRow = {
  name: 'db backup <folder>',
  group: 'Keep the data',
  description: 'copy the embedded database into a new folder, also while the plugin runs',
  environment: 'database',
  examples: ['db backup /backups/2026-11-22'],
  exitCodes: { 0: 'the copy is whole', 1: 'the database is PostgreSQL: use pg_dump' },
  readArguments: ([folder = '']) => [resolve(folder)],
  run: (context, [given = '']) => {
    const folder = resolve(given);
    if (existsSync(folder) && readdirSync(folder).length > 0)
      throw new UsageError([`${folder} must be a new or an empty folder`]);
    return context.withStore(async ({ database, clock }) => {
      if (database.copyTo === undefined) {
        const text =
          'PostgreSQL has tools of its own for this: pg_dump and pg_restore (docs/how-to/backup.md).';
        return print(context, { code: 1, text });
      }
      const at = clock.now().toISO();
      await database.copyTo(folder);
      return print(
        context,
        `Copied to ${folder}, as of ${at}. It is a DATA_DIR ready to start on; before a start: pause (docs/how-to/backup.md).`,
      );
    });
  },
};
