import type Stripe from 'stripe';
import { fingerprintOf } from '../../clients/method-identity.ts';
import type { Transaction } from '../../store/engine/database.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import { isOwnCharge } from '../../store/tables/sync/charge-records.ts';
import type { SyncDeps } from './event-step.ts';

interface Owner {
  readonly account: string;
  readonly invoiceId: string;
  readonly customerId: string | undefined;
  readonly subscriptionId: string | undefined;
}

/**
 * What failed was paid with another method, such as one entered on the invoice's page: Stripe charges the one that failed
 * again at the next renewal, unless its holder is asked which one it should be. Whether that is so is looked at then.
 */
export async function planChoice(
  deps: Pick<SyncDeps, 'clock' | 'enqueue'>,
  tx: Transaction,
  { account, invoiceId, ...owner }: Owner,
  { all, fresh }: { all: readonly Stripe.Charge[]; fresh: readonly Stripe.Charge[] },
): Promise<void> {
  const paid = fresh.find(({ status }) => status === 'succeeded');
  const failed = all.filter(({ status }) => status === 'failed');
  if (!paid?.payment_method || owner.subscriptionId === undefined) return;
  if (failed.length === 0 || failed.some((charge) => methodOf(charge) === methodOf(paid))) return;
  if (await isOwnCharge(tx, { account, invoiceId, chargeId: paid.id })) return;
  const now = deps.clock.now();
  await planAction(deps, tx, {
    ...{ account, cause: 'paid_otherwise', reference: paid.id, kind: 'backup_charged_email', invoiceId },
    ...owner,
    paymentMethod: paid.payment_method,
    dueAt: now,
    createdAt: now,
  });
}

function methodOf({ payment_method: id, payment_method_details: details }: Stripe.Charge): string | null {
  return fingerprintOf(details) ?? id;
}
