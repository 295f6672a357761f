import type { CommandResult } from '../../operator/text/command-result.ts';
import { describeReason } from '../../operator/text/describe-reason.ts';
import { syncActions as readListing, type SyncActionsReport } from '../../retry/instructions/poll.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { listActiveAccounts } from '../../store/tables/stored-accounts.ts';
import { readRecoveryCases } from '../keep-service-reports.ts';
import { print, type StoreCommandRow } from './store-command.ts';

/** Reads the service's listing of every account now and says what it found. Exit code 1 if one was not read to its end. */
export const syncActions: StoreCommandRow = {
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
