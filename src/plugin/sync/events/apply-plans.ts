import type { Transaction } from '../../../core/database/database.ts';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { MirroredKind } from '../../store/tables/sync/mirrors.ts';
import { settleReread } from '../../store/tables/sync/unmapped.ts';
import type { EventPlan, SyncDeps } from './event-step.ts';
import { rereadInvoice, storeInvoices } from './mirror-invoice.ts';
import { rereadSubscription, storeSubscriptions } from './mirror-subscription.ts';

/** Stores all copies of objects together, then applies each plan's other effects. */
export async function applyPlans(
  deps: SyncDeps,
  tx: Transaction,
  account: string,
  plans: readonly EventPlan[],
): Promise<void> {
  const copies = plans.flatMap(({ copy }) => copy ?? []);
  const subscriptions = copies.flatMap(({ kind, write }) => (kind === 'subscriptions' ? write : []));
  const invoices = copies.flatMap(({ kind, write }) => (kind === 'invoices' ? write : []));
  if (subscriptions.length > 0) await storeSubscriptions(deps, tx, account, subscriptions);
  if (invoices.length > 0) await storeInvoices(deps, tx, account, invoices);
  for (const plan of plans) await plan.apply?.(tx);
}

/** Undefined if Stripe no longer has the object. */
type Reread = (deps: SyncDeps, account: string, id: string) => Promise<EventPlan | undefined>;

const REREADS: Readonly<Record<MirroredKind, Reread>> = {
  subscriptions: rereadSubscription,
  invoices: rereadInvoice,
};

/** Reads an unmapped record again, at the request of a person. */
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
