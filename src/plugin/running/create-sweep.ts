/** What is done now and then, whatever the queues know. */

import type { RetryDeps } from '../../retry/actions/retry-deps.ts';
import { createExpiryPlanner } from '../../retry/mail/plan-expiry-mails.ts';
import { sweepRetry } from '../../retry/run/sweep-retry.ts';
import { addUpCounters } from '../../store/reports/counters.ts';
import { refreshFailures } from '../../store/reports/money/refresh-failures.ts';
import { findUnfinishedWork } from '../../store/tables/unfinished-work.ts';
import { sweepSync } from '../../sync/receive/sweep-sync.ts';
import type { HostEventDelivery } from '../events/deliver-host-events.ts';

/** Gives a job to all work that is older than so many minutes and has none. */
export function createSweep(deps: RetryDeps, hostEvents: HostEventDelivery) {
  const planExpiry = createExpiryPlanner(deps);
  return async (olderThanMinutes: number, occasion?: string) => {
    const before = deps.clock.now().minus({ minutes: olderThanMinutes });
    const unfinished = await findUnfinishedWork(deps.database, before);
    await sweepSync(deps, before, unfinished);
    await sweepRetry(deps, before, unfinished, occasion);
    if (unfinished.counters) await addUpCounters(deps.database);
    if (unfinished.failures) await refreshFailures(deps.database);
    await planExpiry();
    await hostEvents.sweep();
  };
}
