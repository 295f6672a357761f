/** Asks the embedded service over HTTP, whenever its listing was read, what its timing is worth, and keeps the answer. */
import type { ServiceClient } from '../clients/service-client.ts';
import type { Clock } from '../clock.ts';
import type { JobHandler } from '../jobs/jobs.ts';
import type { PluginQueues } from '../jobs/queues.ts';
import type { Database } from '../store/database.ts';
import { forgetTimingReport, keepTimingReport } from '../store/timing-reports.ts';

interface ReportDeps {
  readonly isEmbedded: boolean;
  readonly database: Database;
  readonly clock: Clock;
  readonly serviceOf: (account: string) => Pick<ServiceClient, 'findTimingReport'>;
}

/** A remote service has no such report, and an embedded one's before it is forgotten. Without an answer the last one stays. */
export function withTimingReport(
  deps: ReportDeps,
  sync: JobHandler<PluginQueues['sync-actions']>,
): JobHandler<PluginQueues['sync-actions']> {
  return {
    ...sync,
    handle: async (data) => {
      await sync.handle(data);
      if (!deps.isEmbedded) return forgetTimingReport(deps.database, data.account);
      const report = await deps.serviceOf(data.account).findTimingReport();
      if (report) await keepTimingReport(deps.database, data.account, report, deps.clock.now());
    },
  };
}
