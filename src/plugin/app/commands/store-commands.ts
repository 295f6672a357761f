/** Commands that work next to a running process, on either database. */

import { wordsOf } from '../../../core/base/command-options.ts';
import { checkStored } from '../../operator/checks/stored-checks.ts';
import { OPERATION_NAMES } from '../../operator/operations/operations.ts';
import { backfill } from './backfill-command.ts';
import { backup } from './backup-command.ts';
import { callbacks } from './callbacks-command.ts';
import { compare } from './compare-command.ts';
import { connect, disconnect } from './connection-commands.ts';
import { keys } from './keys-command.ts';
import { list } from './list-command.ts';
import { operateBy } from './operate-command.ts';
import { status } from './status-command.ts';
import type { StoreCommand, StoreCommandRow } from './store-command.ts';
import { syncActions } from './sync-actions-command.ts';
import { verify } from './verify-command.ts';

/** Findings as JSON for `doctor`, which may not open an embedded database that another process has. */
const checks: StoreCommand = (context) =>
  context.withStore(async ({ config, database }) => {
    const findings = await checkStored({ config: config(), database });
    context.output.write(JSON.stringify(findings));
    return 0;
  });

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
