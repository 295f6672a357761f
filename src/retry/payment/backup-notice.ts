/** The customer is notified of a payment with another saved card. */

import type { Transaction } from '../../store/engine/database.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

/** Once for an action; together with its outcome. */
export async function planBackupNotice(
  deps: Pick<RetryDeps, 'clock' | 'enqueue'>,
  tx: Transaction,
  { id: payment, account, cause, invoiceId, customerId, subscriptionId, paymentMethod }: StoredAction,
): Promise<void> {
  if (cause !== 'backup') return;
  const now = deps.clock.now();
  await planAction(deps, tx, {
    ...{ account, cause: 'charged_backup', reference: payment, kind: 'backup_charged_email', invoiceId },
    ...{ customerId, subscriptionId, paymentMethod },
    dueAt: now,
    createdAt: now,
  });
}
