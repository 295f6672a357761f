/** A customer who asked to end is not charged: one mail says what is open, and how to pay it. */
import { randomUUID } from 'node:crypto';
import { insertAction, type StoredAction } from '../../store/tables/retry/actions.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

/** Once for an invoice. When the mail goes out, its own guards are asked, and the customer's hours. */
export async function askInstead(
  { database, clock, enqueue }: Pick<RetryDeps, 'database' | 'clock' | 'enqueue'>,
  { account, invoiceId, customerId, subscriptionId }: StoredAction,
): Promise<void> {
  const now = clock.now();
  const id = randomUUID();
  await database.transaction(async (tx) => {
    const isNew = await insertAction(tx, {
      ...{ id, account, invoiceId },
      cause: 'cancel_request',
      reference: '',
      kind: 'card_update_email',
      customerId: customerId ?? undefined,
      subscriptionId: subscriptionId ?? undefined,
      requestId: undefined,
      paymentMethod: undefined,
      dueAt: now,
      createdAt: now,
    });
    if (isNew) await enqueue('execute-action', [{ data: { actionId: id, account }, startAfter: now }], tx);
  });
}
