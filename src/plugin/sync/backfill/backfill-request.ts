import type { DateTime } from 'luxon';
import type { Enqueue } from '../../../core/jobs/enqueue.ts';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import type { BackfillRequest, PluginQueues } from '../../jobs/queues.ts';
import type { Config } from '../../settings/config.ts';
import { findLastFinish } from '../../store/tables/backfill/backfill-runs.ts';
import type { SyncDeps } from '../events/event-step.ts';

/** Default depth of invoices and charges. */
export const BACKFILL_MONTHS = 12;

/** Requests a second: below Stripe's 25 for one endpoint, with room for reads that webhooks cause (stripe-facts 3.10). */
const FULL_SHARE = 20;

/** Requests a second of runs without urgency. */
const LOW_SHARE = 5;

/** Older open invoices are read one by one. */
const RECONCILED_MONTHS = 2;

/** Subtracted from the interval, so that a long run does not delay the next by a night. */
const TOLERANCE_HOURS = 12;

/** Requests the weekly comparison with Stripe at a low pace. */
export function createReconciler(deps: {
  readonly enqueue: Enqueue<PluginQueues>;
}): JobHandler<PluginQueues['reconcile']> {
  return {
    handle: ({ account }) => {
      const request = { account, kind: 'reconciliation', months: RECONCILED_MONTHS } as const;
      const data = { ...request, perSecond: LOW_SHARE, isScheduled: true };
      return deps.enqueue('backfill', [{ data, key: account }]);
    },
  };
}

/** Requests verifications with the depth and pace of reconciliations. Without a backfill there is nothing to compare. */
export function createVerifier({
  database,
  clock,
  enqueue,
  config,
}: Pick<SyncDeps, 'database' | 'clock' | 'enqueue'> & {
  readonly config: Pick<Config, 'verifyDays'>;
}): JobHandler<PluginQueues['verify-when-due']> {
  return {
    handle: async ({ account }) => {
      const days = config.verifyDays;
      if (days === 0 || (await findLastFinish(database, account, 'backfill')) === undefined) return;
      const last = await findLastFinish(database, account, 'verification');
      if (last !== undefined && last > clock.now().minus({ days, hours: -TOLERANCE_HOURS })) return;
      const request = { account, kind: 'verification', months: RECONCILED_MONTHS } as const;
      await enqueue('verify', [{ data: { ...request, perSecond: LOW_SHARE }, key: account }]);
    },
  };
}

/** Requests a run, or the rest of the open one. */
export function toBackfillJob(
  request: Pick<BackfillRequest, 'account' | 'kind' | 'months'>,
  askedAt: DateTime<true>,
) {
  return {
    data: { ...request, perSecond: FULL_SHARE, askedAt: askedAt.toISO() },
    key: request.account,
  };
}
