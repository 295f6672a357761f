/** The customer is notified of a payment with another saved card. */
import { randomUUID } from 'node:crypto';
import { isBackup } from '../../contract/action-origin.ts';
import type { Transaction } from '../../store/engine/database.ts';
import { insertAction, type StoredAction } from '../../store/tables/retry/actions.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

const ORIGIN = 'charged-backup:';

/** Once for an action; together with its outcome. */
export async function planBackupNotice(
  deps: Pick<RetryDeps, 'clock' | 'enqueue'>,
  tx: Transaction,
  { id: payment, account, origin, invoiceId, customerId, subscriptionId, paymentMethod }: StoredAction,
): Promise<void> {
  if (!isBackup(origin)) return;
  const now = deps.clock.now();
  const id = randomUUID();
  const isNew = await insertAction(tx, {
    ...{ id, account, origin: `${ORIGIN}${payment}`, kind: 'backup_charged_email', invoiceId },
    customerId: customerId ?? undefined,
    subscriptionId: subscriptionId ?? undefined,
    requestId: undefined,
    paymentMethod: paymentMethod ?? undefined,
    dueAt: now,
    createdAt: now,
  });
  if (isNew) await deps.enqueue('execute-action', [{ data: { actionId: id, account }, startAfter: now }], tx);
}
