/** The customer is notified of a payment with another saved card. */
import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../store/engine/database.ts';
import { insertAction, type StoredAction } from '../../store/tables/retry/actions.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

/** Once for an action; together with its outcome. */
export async function planBackupNotice(
  deps: Pick<RetryDeps, 'clock' | 'enqueue'>,
  tx: Transaction,
  { id: payment, account, cause, invoiceId, customerId, subscriptionId, paymentMethod }: StoredAction,
): Promise<void> {
  if (cause !== 'backup') return;
  const now = deps.clock.now();
  const id = randomUUID();
  const isNew = await insertAction(tx, {
    ...{ id, account, cause: 'charged_backup', reference: payment, kind: 'backup_charged_email', invoiceId },
    customerId: customerId ?? undefined,
    subscriptionId: subscriptionId ?? undefined,
    requestId: undefined,
    paymentMethod: paymentMethod ?? undefined,
    dueAt: now,
    createdAt: now,
  });
  if (isNew) await deps.enqueue('execute-action', [{ data: { actionId: id, account }, startAfter: now }], tx);
}
