import { randomUUID } from 'node:crypto';
import type { DateTime } from 'luxon';
import type { Transaction } from '../../../../core/database/database.ts';
import { insertAction, type NewAction } from './actions.ts';

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
