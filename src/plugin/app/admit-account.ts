import type { DateTime } from 'luxon';
import type { Queryable } from '../../core/database/database.ts';
import type { PluginDeps } from '../jobs/queues.ts';
import { OWN_ACCOUNT } from '../settings/account.ts';
import type { Accounts } from '../settings/accounts.ts';
import type { Config } from '../settings/config.ts';
import { rememberAccount } from '../store/tables/stored-accounts.ts';
import { eventsCursor } from '../store/tables/sync/cursors.ts';
import { listingStart } from '../store/tables/sync/listing-state.ts';
import { BACKFILL_MONTHS, toBackfillJob } from '../sync/backfill/backfill-request.ts';
import type { EmbeddedService } from './parts/embedded-service.ts';

interface AdmitDeps extends Pick<PluginDeps, 'database' | 'clock' | 'enqueue'> {
  readonly config: Pick<Config, 'backfillOnStart'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly embedded: Pick<EmbeddedService, 'addAccount'> | undefined;
}

/**
 * Makes a connected account known: to the embedded service, which must take its records, and to the jobs that go through
 * all accounts. Done once in a process; what it does may be repeated.
 */
export function createAdmission(deps: AdmitDeps): (account: string) => Promise<void> {
  const admitted = new Set([OWN_ACCOUNT]);
  return async (account) => {
    if (admitted.has(account)) return;
    const access = deps.accounts.find(account);
    if (!access) return;
    await deps.embedded?.addAccount(access);
    await deps.database.transaction(async (tx) => {
      const now = deps.clock.now();
      if (!(await rememberAccount(tx, account, now))) return;
      await beginAccount(tx, account, now);
      await deps.enqueue('catch-up', [{ data: { account }, key: account }], tx);
      if (!deps.config.backfillOnStart) return;
      const request = { account, kind: 'backfill', months: BACKFILL_MONTHS } as const;
      await deps.enqueue('backfill', [toBackfillJob(request, now)], tx);
    });
    admitted.add(account);
  };
}

/**
 * What Stripe and the service send from now on is ours. Not left to the first reading of either: if the process dies
 * before that, what they brought until the next one came would be taken for history.
 */
export async function beginAccount(db: Queryable, account: string, now: DateTime): Promise<void> {
  await eventsCursor.begin(db, account, now, now);
  await listingStart.begin(db, account, now, now);
}
