import { randomUUID } from 'node:crypto';
import type { DateTime } from 'luxon';
import type { Transaction } from '../../../../core/database/database.ts';
import { insertAction, type NewAction } from './actions.ts';
import type { InvoiceKey } from './takeovers.ts';

interface Execution {
  readonly data: { readonly actionId: string; readonly account: string };
  readonly startAfter: DateTime;
}

/** The queue, passed in as `Enqueue`. */
interface Executing {
  enqueue(name: 'execute-action', jobs: readonly Execution[], tx: Transaction): Promise<void>;
}

/** Records an action with its due job; by default it is due immediately. Returns false if it was requested before. */
export async function planAction(
  { enqueue }: Executing,
  tx: Transaction,
  {
    id = randomUUID(),
    dueAt,
    ...action
  }: Omit<NewAction, 'id' | 'dueAt'> & { id?: string; dueAt?: DateTime },
): Promise<boolean> {
  const { account, createdAt } = action;
  const startAfter = dueAt ?? createdAt;
  if (!(await insertAction(tx, { id, ...action, dueAt: startAfter }))) return false;
  await enqueue('execute-action', [{ data: { actionId: id, account }, startAfter }], tx);
  return true;
}

/** Plans one email about a subscription lost to an unpaid invoice. */
export async function planEndNotice(
  deps: Parameters<typeof planAction>[0],
  tx: Transaction,
  lost: InvoiceKey & { readonly subscriptionId: string; readonly customerId?: string | null | undefined },
  now: DateTime,
) {
  await planAction(deps, tx, {
    ...lost,
    cause: 'subscription_lost',
    reference: lost.subscriptionId,
    kind: 'subscription_ended_email',
    createdAt: now,
  });
}
