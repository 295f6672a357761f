/** Commands that work next to a running process, on either database. */
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { wordsOf } from '../../../core/base/command-options.ts';
import { UsageError } from '../../../core/base/errors.ts';
import { checkStored } from '../../operator/checks/stored-checks.ts';
import { OPERATION_NAMES } from '../../operator/operations/operations.ts';
import type { CommandResult } from '../../operator/text/command-result.ts';
import { describeReason } from '../../operator/text/describe-reason.ts';
import { syncActions as readListing, type SyncActionsReport } from '../../retry/instructions/poll.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { listActiveAccounts } from '../../store/tables/stored-accounts.ts';
import { readRecoveryCases } from '../keep-service-reports.ts';
import { backfill } from './backfill-command.ts';
import { callbacks } from './callbacks-command.ts';
import { compare } from './compare-command.ts';
import { connect, disconnect } from './connection-commands.ts';
import { keys } from './keys-command.ts';
import { list } from './list-command.ts';
import { operateBy } from './operate-command.ts';
import { status } from './status-command.ts';
import { print, type StoreCommand, type StoreCommandRow } from './store-command.ts';
import { verify } from './verify-command.ts';

/** Reads the service's listing of every account now and says what it found. Exit code 1 if one was not read to its end. */
const syncActions: StoreCommandRow = {
  group: 'Operate',
  name: 'queue sync',
  description: "read the service's recovery actions now and apply missed ones",
  environment: 'settings',
  examples: ['queue sync'],
  exitCodes: { 1: 'a listing was not read to its end; run it again' },
  run: (context) =>
    context.withListings(async (parts) => {
      const { accounts, database, serviceOf } = parts;
      const codes: number[] = [];
      for (const account of await listActiveAccounts(database)) {
        if (!accounts.find(account)) continue;
        const report = await readListing({ ...parts, service: serviceOf(account) }, account);
        codes.push(print(context, describeReport(account, report)));
        if (await serviceOf(account).can('recovery_cases')) await readRecoveryCases(parts, account);
      }
      return Math.max(0, ...codes);
    }),
};

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

/** Findings as JSON for `doctor`, which may not open an embedded database that another process has. */
const checks: StoreCommand = (context) =>
  context.withStore(async ({ config, database }) => {
    const findings = await checkStored({ config: config(), database });
    context.output.write(JSON.stringify(findings));
    return 0;
  });

/** Copies the embedded database, also while it works. Exit code 1 where PostgreSQL's own tools are to be used. */
const backup: StoreCommandRow = {
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

export const STORE_COMMANDS: readonly StoreCommandRow[] = [
  backfill,
  status,
  list,
  verify,
  compare,
  ...OPERATION_NAMES.flatMap(operateBy),
  syncActions,
  callbacks,
  keys,
  backup,
];

/** Parts of set-up commands, which have the rows. */
const PARTS: Readonly<Record<string, StoreCommand>> = { connect, disconnect, checks };

const BY_NAME: ReadonlyMap<string, StoreCommand> = new Map([
  ...Object.entries(PARTS),
  ...STORE_COMMANDS.map(({ name, run }) => [wordsOf(name), run] as const),
]);

export function findStoreCommand(name: string): StoreCommand | undefined {
  return BY_NAME.get(name);
}
