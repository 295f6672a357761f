/** What a process does first, once everything is at work. */

import type { BaseDeps } from '../../core/jobs/work-deps.ts';
import { AFTER_OBSERVING, describeObserved, OBSERVE_MODE } from '../operator/checks/describe-observed.ts';
import { describeLocalAddress, REACHABLE_ADDRESS } from '../operator/checks/local-address.ts';
import { OWN_ACCOUNT } from '../settings/account.ts';
import type { Accounts } from '../settings/accounts.ts';
import type { Config } from '../settings/config.ts';
import { KNOWS_LITTLE } from '../settings/forwarding.ts';
import { readObserved } from '../store/reports/observed.ts';
import { isNeverFilled } from '../store/tables/backfill/backfill-runs.ts';
import { endLots } from '../store/tables/retry/lots.ts';
import { listForwarded } from '../store/tables/sync/untaken.ts';
import type { Requests } from './parts/create-requests.ts';

interface FirstWork extends BaseDeps, Requests {
  readonly config: Config;
  readonly accounts: Accounts;
  readonly isCommand?: boolean | undefined;
  admit(account: string): Promise<unknown>;
  sweep(overdueMinutes: number): Promise<unknown>;
}

/** Finds work that lost its job, was missed while no process ran, or was never read. */
export async function beginWork(work: FirstWork): Promise<void> {
  const { config, accounts, database, logger } = work;
  for (const { account } of accounts.listed) await work.admit(account);
  const isCompared = config.experiment?.against === 'stripe';
  if (!isCompared && !work.isCommand) await endLots(database, work.clock.now());
  await work.sweep(0);
  await work.requestCatchUp();
  await work.requestActionsSync();
  if (await isNeverFilled(database, OWN_ACCOUNT)) await offerBackfill(work);
  if (work.isCommand) return;
  if (config.service.kind === 'remote' && (await listForwarded(database, config, OWN_ACCOUNT)).length === 0)
    logger.warn({ account: OWN_ACCOUNT }, KNOWS_LITTLE);
  if (config.mode === 'observe') {
    const soFar = describeObserved(await readObserved(database));
    logger.info({ soFar, help: AFTER_OBSERVING }, OBSERVE_MODE);
  }
  const local = describeLocalAddress(config);
  if (local !== undefined) logger.warn({ help: REACHABLE_ADDRESS }, local);
}

/** What existed before the installation is known to nobody until it is read. */
async function offerBackfill({ config, logger, requestBackfill }: FirstWork): Promise<void> {
  if (config.backfillOnStart) return requestBackfill();
  logger.warn(
    { account: OWN_ACCOUNT },
    'what Stripe had before is unknown here: run `npx stripe-payment-retry backfill`, or set BACKFILL_ON_START=true',
  );
}
