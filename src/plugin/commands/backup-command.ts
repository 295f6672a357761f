import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '../../kit/errors.ts';
import { print, type ServedCommand } from './served-command.ts';

/** Copies the embedded database, also while it works. Exit code 1 where PostgreSQL's own tools are to be used. */
export const backup: ServedCommand = (context, [given = '']) => {
  const folder = resolve(given);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new ConfigError([`${folder} must be a new or an empty folder`]);
  return context.withStore(async ({ database, clock }) => {
    if (database.copyTo === undefined) {
      const text =
        'PostgreSQL has tools of its own for this: pg_dump and pg_restore (docs/operations/backup.md).';
      return print(context, { code: 1, text });
    }
    const at = clock.now().toISO();
    await database.copyTo(folder);
    return print(context, {
      code: 0,
      text: `Copied to ${folder}, as of ${at}. It is a DATA_DIR as it stands; before a start on it: pause (docs/operations/backup.md).`,
    });
  });
};
