import type { DateTime } from 'luxon';
import type { Enqueue } from '../../../core/jobs/enqueue.ts';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import type { BackfillRequest, PluginQueues } from '../../jobs/queues.ts';
import type { Config } from '../../settings/config.ts';
import { findLastFinish } from '../../store/tables/backfill/backfill-runs.ts';
import type { SyncDeps } from '../events/event-step.ts';

/** How far back invoices and charges are read unless something else is asked for. */
export const BACKFILL_MONTHS = 12;

/** Below Stripe's 25 for one endpoint, with room for the reads that webhooks lead to (stripe-facts 3.10). */
const FULL_SHARE = 20;

/** For what has time. */
const LOW_SHARE = 5;

/** What is older than this and still open is read one by one. */
const RECONCILED_MONTHS = 2;

/** What is asked for each night is not put off by how long the last one took. */
const TOLERANCE_HOURS = 12;

/** Each week, at a low pace, what Stripe has is compared with what is stored here. */
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

/** At the pace of reconciliations, as far back; where nothing was ever read there is nothing to compare with. */
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

/** Asks for a run, or for what is left of the one that is open. */
export function toBackfillJob(
  request: Pick<BackfillRequest, 'account' | 'kind' | 'months'>,
  askedAt: DateTime<true>,
) {
  return {
    data: { ...request, perSecond: FULL_SHARE, askedAt: askedAt.toISO() },
    key: request.account,
  };
}
