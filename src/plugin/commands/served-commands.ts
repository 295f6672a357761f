/** Commands that work beside a running process, on either database. */
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../kit/errors.ts';
import { checkStored } from '../../operator/checks/stored-checks.ts';
import { OPERATION_NAMES } from '../../operator/operations/operations.ts';
import { backfill } from './backfill-command.ts';
import { callbacks } from './callbacks-command.ts';
import { connect, disconnect } from './connection-commands.ts';
import { keys } from './keys-command.ts';
import { list } from './list-command.ts';
import { operateBy } from './operate-command.ts';
import { print, type ServedCommand } from './served-command.ts';
import { status } from './status-command.ts';
import { syncActions } from './sync-actions-command.ts';

/** For `doctor`, which may not open an embedded database that another process has: its findings, as JSON. */
const checks: ServedCommand = (context) =>
  context.withStore(async ({ config, database }) => {
    const findings = await checkStored({ config: config(), database });
    context.output.write(JSON.stringify(findings));
    return 0;
  });

/** Copies the embedded database, also while it works. Exit code 1 where PostgreSQL's own tools are to be used. */
const backup: ServedCommand = (context, [given = '']) => {
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
    return print(context, {
      code: 0,
      text: `Copied to ${folder}, as of ${at}. It is a DATA_DIR as it stands; before a start on it: pause (docs/how-to/backup.md).`,
    });
  });
};

const SERVED_COMMANDS: ReadonlyMap<string, ServedCommand> = new Map([
  ...Object.entries({
    ...{ backup, backfill, status, list, 'sync-actions': syncActions },
    ...{ keys, callbacks, connect, disconnect, checks },
  }),
  ...OPERATION_NAMES.flatMap(operateBy),
]);

export function findServedCommand(name: string): ServedCommand | undefined {
  return SERVED_COMMANDS.get(name);
}
