/** Commands that work beside a running process, on either database. */
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../../core/base/errors.ts';
import { checkStored } from '../../operator/checks/stored-checks.ts';
import { OPERATION_NAMES } from '../../operator/operations/operations.ts';
import type { CommandResult } from '../../operator/text/command-result.ts';
import { describeReason } from '../../operator/text/describe-reason.ts';
import { syncActions as readListing, type SyncActionsReport } from '../../retry/instructions/poll.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { listActiveAccounts } from '../../store/tables/stored-accounts.ts';
import { readServiceReports } from '../keep-service-reports.ts';
import { backfill } from './backfill-command.ts';
import { callbacks } from './callbacks-command.ts';
import { compare } from './compare-command.ts';
import { connect, disconnect } from './connection-commands.ts';
import { keys } from './keys-command.ts';
import { list } from './list-command.ts';
import { operateBy } from './operate-command.ts';
import { status } from './status-command.ts';
import { print, type StoreCommand } from './store-command.ts';
import { verify } from './verify-command.ts';

/** Reads the service's listing of every account now and says what it found. Exit code 1 if one was not read to its end. */
const syncActions: StoreCommand = (context) =>
  context.withListings(async (parts) => {
    const { accounts, database, serviceOf } = parts;
    const codes: number[] = [];
    for (const account of await listActiveAccounts(database)) {
      if (!accounts.find(account)) continue;
      const report = await readListing({ ...parts, service: serviceOf(account) }, account);
      codes.push(print(context, describeReport(account, report)));
      if (await serviceOf(account).can('recovery_cases')) await readServiceReports(parts, account);
    }
    return Math.max(0, ...codes);
  });

/** For `doctor`, which may not open an embedded database that another process has: its findings, as JSON. */
const checks: StoreCommand = (context) =>
  context.withStore(async ({ config, database }) => {
    const findings = await checkStored({ config: config(), database });
    context.output.write(JSON.stringify(findings));
    return 0;
  });

/** Copies the embedded database, also while it works. Exit code 1 where PostgreSQL's own tools are to be used. */
const backup: StoreCommand = (context, [given = '']) => {
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

const STORE_COMMANDS: ReadonlyMap<string, StoreCommand> = new Map([
  ...Object.entries({
    backup,
    backfill,
    compare,
    status,
    list,
    'sync-actions': syncActions,
    keys,
    callbacks,
    connect,
    disconnect,
    checks,
    verify,
  }),
  ...OPERATION_NAMES.flatMap(operateBy),
]);

export function findStoreCommand(name: string): StoreCommand | undefined {
  return STORE_COMMANDS.get(name);
}

function describeReport(account: string, report: SyncActionsReport): CommandResult {
  const { listed, fresh, applied, known, unreadable, incomplete } = report;
  const whose = account === OWN_ACCOUNT ? '' : ` for account ${account}`;
  const lines = [
    `Recovery actions listed${whose}: ${listed}`,
    `  new to the history: ${fresh}`,
    `  instructions applied, whose callbacks never came: ${applied}`,
    `  instructions known already: ${known}`,
    `  not understood, kept as they came: ${unreadable}`,
  ];
  if (incomplete !== undefined)
    lines.push(
      `Incomplete: the service did not list everything: ${describeReason(incomplete)}. Run it again to go on from there.`,
    );
  return { code: incomplete === undefined ? 0 : 1, text: lines.join('\n') };
}
