/** Asks the embedded service over HTTP, whenever its listing was read, what it has decided since, and keeps the answers. */
import type { ServiceClient } from '../clients/service-client.ts';
import type { Clock } from '../clock.ts';
import type { JobHandler } from '../jobs/jobs.ts';
import type { PluginQueues } from '../jobs/queues.ts';
import { forgetCallbackCounts, keepCallbackCounts } from '../store/callback-counts.ts';
import type { Database } from '../store/database.ts';
import { findLastRevision, forgetRecoveryCases, keepRecoveryCases } from '../store/recovery-cases.ts';

interface CaseDeps {
  readonly isEmbedded: boolean;
  readonly database: Database;
  readonly clock: Clock;
  readonly serviceOf: (account: string) => Pick<ServiceClient, 'findRecoveryCases'>;
}

/** A remote service has no such operation, and what an embedded one said before it is forgotten. */
export function withRecoveryCases(
  deps: CaseDeps,
  sync: JobHandler<PluginQueues['sync-actions']>,
): JobHandler<PluginQueues['sync-actions']> {
  return {
    ...sync,
    handle: async (data) => {
      await sync.handle(data);
      if (deps.isEmbedded) await readRecoveryCases(deps, data.account);
      else await forget(deps.database, data.account);
    },
  };
}

async function forget(database: Database, account: string): Promise<void> {
  await forgetRecoveryCases(database, account);
  await forgetCallbackCounts(database, account);
}

/** Goes on behind the last page that was kept. Without an answer the next reading does. */
export async function readRecoveryCases(
  { database, clock, serviceOf }: Omit<CaseDeps, 'isEmbedded'>,
  account: string,
): Promise<void> {
  const service = serviceOf(account);
  for (;;) {
    const page = await service.findRecoveryCases(await findLastRevision(database, account));
    if (!page) return;
    await keepRecoveryCases(database, account, page.recoveryCases);
    if (page.callbacks) await keepCallbackCounts(database, account, page.callbacks, clock.now());
    if (!page.hasMore) return;
  }
}
