import type { Database } from '../store/engine/database.ts';
import { listActiveAccounts } from '../store/tables/stored-accounts.ts';
import type { Enqueue } from './enqueue.ts';
import type { PluginQueues } from './plugin-queues.ts';
import type { JobHandler } from './queue-table.ts';

interface EachAccountDeps {
  readonly database: Database;
  readonly enqueue: Enqueue<PluginQueues>;
}

/** Gives every account that has not revoked our access a job of the named queue, unless it waits for one already. */
export function createEachAccount(deps: EachAccountDeps): JobHandler<PluginQueues['each-account']> {
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
