/** The table of the plugin's jobs: which part does each. */

import type { HandlerTable, JobHandler } from '../../../core/jobs/queue-table.ts';
import type { Measures } from '../../../core/telemetry/measures.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { HostEventDelivery } from '../../operator/host-events/deliver-host-events.ts';
import type { RetryDeps } from '../../retry/actions/retry-deps.ts';
import { createSignalFollower } from '../../retry/exclusive/follow-signal.ts';
import { createHandBackHandler } from '../../retry/exclusive/hand-back-invoice.ts';
import { createTakeOverHandler } from '../../retry/exclusive/take-over-invoice.ts';
import { createInstructionHandler } from '../../retry/instructions/handle-instruction.ts';
import { createActionsSync } from '../../retry/instructions/poll.ts';
import { createEmailPlanner } from '../../retry/mail/plan-emails.ts';
import { createCardChangeHandler } from '../../retry/payment/pay-open-invoices.ts';
import { createExecutor } from '../../retry/run/execute.ts';
import { sweepRetry } from '../../retry/run/sweep-retry.ts';
import { addUpCounters } from '../../store/reports/counters.ts';
import { refreshFailures } from '../../store/reports/money/refresh-failures.ts';
import { listActiveAccounts } from '../../store/tables/stored-accounts.ts';
import { findUnfinishedWork } from '../../store/tables/unfinished-work.ts';
import { createReconciler, createVerifier } from '../../sync/backfill/backfill-request.ts';
import { createCatchUp } from '../../sync/catch-up/catch-up.ts';
import { createDeliverer } from '../../sync/deliver/deliver.ts';
import { createRereader } from '../../sync/events/apply-plans.ts';
import type { SyncDeps } from '../../sync/events/event-step.ts';
import type { Inbox } from '../../sync/receive/inbox.ts';
import { createEventProcessor } from '../../sync/receive/process-event.ts';
import { sweepSync } from '../../sync/receive/sweep-sync.ts';
import { withServiceReports } from '../keep-service-reports.ts';

export function createHandlers(deps: {
  sync: SyncDeps;
  inbox: Inbox;
  retry: RetryDeps;
  listing: Parameters<typeof withServiceReports>[0] & Parameters<typeof createActionsSync>[0];
  delivery: Parameters<typeof createDeliverer>[0];
  backfill: JobHandler<PluginQueues['backfill']>;
  sweep: () => Promise<void>;
  prune: JobHandler<PluginQueues['prune']>;
  forget: JobHandler<PluginQueues['forget-customer']>;
  hostEvents: HostEventDelivery;
  measures: Measures;
}): HandlerTable<PluginQueues> {
  return {
    'take-events': deps.inbox.job,
    'process-event': createEventProcessor(deps.sync),
    deliver: createDeliverer(deps.delivery),
    'schedule-instruction': createInstructionHandler(deps.retry),
    'execute-action': createExecutor(deps.retry, deps.measures),
    'pay-open-invoices': createCardChangeHandler(deps.retry),
    'take-over-invoice': createTakeOverHandler(deps.retry),
    'hand-back-invoice': createHandBackHandler(deps.retry),
    'follow-signal': createSignalFollower(deps.retry),
    sweep: { handle: deps.sweep },
    'catch-up': createCatchUp(deps.sync),
    'sync-actions': withServiceReports(deps.listing, createActionsSync(deps.listing)),
    reread: createRereader(deps.sync),
    reconcile: createReconciler(deps.sync),
    backfill: deps.backfill,
    verify: deps.backfill,
    'verify-when-due': createVerifier(deps.sync),
    prune: deps.prune,
    'forget-customer': deps.forget,
    'host-events': deps.hostEvents.job,
    'each-account': createEachAccount(deps.sync),
  };
}

/** Gives a job to all older work that has none. */
export function createSweep(deps: RetryDeps, hostEvents: HostEventDelivery) {
  const planEmails = createEmailPlanner(deps);
  return async (olderThanMinutes: number, occasion?: string) => {
    const now = deps.clock.now();
    const before = now.minus({ minutes: olderThanMinutes });
    const unfinished = await findUnfinishedWork(deps.database, before);
    await sweepSync(deps, { now, before }, unfinished);
    await sweepRetry(deps, before, unfinished, occasion);
    if (unfinished.counters) await addUpCounters(deps.database);
    if (unfinished.failures) await refreshFailures(deps.database);
    await planEmails();
    await hostEvents.sweep({ hasAccessChanged: unfinished.failures || unfinished.access });
  };
}

/** Gives every account that has not revoked our access a job of the named queue, unless it waits for one already. */
function createEachAccount(
  deps: Pick<SyncDeps, 'database' | 'enqueue'>,
): JobHandler<PluginQueues['each-account']> {
  return {
    handle: async ({ queue }) => {
      const accounts = await listActiveAccounts(deps.database);
      await deps.enqueue(
        queue,
        accounts.map((account) => ({ data: { account }, key: account })),
      );
    },
  };
}
