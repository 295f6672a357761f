import type { JobHandler } from '../../jobs/queue-table.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { MirroredKind } from '../../store/tables/sync/mirrors.ts';
import { settleReread } from '../../store/tables/sync/unmapped.ts';
import { applyPlans } from './apply-plans.ts';
import type { EventPlan, SyncDeps } from './event-step.ts';
import { rereadInvoice } from './mirror-invoice.ts';
import { rereadSubscription } from './mirror-subscription.ts';

/** Undefined if Stripe no longer has the object. */
type Reread = (deps: SyncDeps, account: string, id: string) => Promise<EventPlan | undefined>;

const REREADS: Readonly<Record<MirroredKind, Reread>> = {
  subscriptions: rereadSubscription,
  invoices: rereadInvoice,
};

/** Reads a record again that could not be mapped, because a person says that the cause is fixed. */
export function createRereader(deps: SyncDeps): JobHandler<PluginQueues['reread']> {
  return {
    handle: async (key) => {
      const plan = await REREADS[key.kind](deps, key.account, key.id);
      await deps.database.transaction(async (tx) => {
        if (plan) await applyPlans(deps, tx, key.account, [plan]);
        await settleReread(tx, key, { isGone: plan === undefined });
      });
    },
  };
}
