import type { Transaction } from '../../store/engine/database.ts';
import type { EventPlan, SyncDeps } from './event-step.ts';
import { storeInvoices } from './mirror-invoice.ts';
import { storeSubscriptions } from './mirror-subscription.ts';

/** Writes what events of one account lead to: copies of objects together, then what each asks for besides. */
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
