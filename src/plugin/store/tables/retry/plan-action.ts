import { randomUUID } from 'node:crypto';
import type { DateTime } from 'luxon';
import type { Transaction } from '../../../../core/database/database.ts';
import { insertAction, type NewAction } from './actions.ts';

interface Execution {
  readonly data: { readonly actionId: string; readonly account: string };
  readonly startAfter: DateTime;
}

/** Has the queue do it at its time; the queue is given, as `Enqueue`. */
interface Executing {
  enqueue(name: 'execute-action', jobs: readonly Execution[], tx: Transaction): Promise<void>;
}

/** Writes down what is to be done, with the job that does it when it is due. Returns false if it was asked for before. */
export async function planAction(
  { enqueue }: Executing,
  tx: Transaction,
  { id = randomUUID(), ...action }: Omit<NewAction, 'id'> & { id?: string },
): Promise<boolean> {
  const { account, dueAt: startAfter } = action;
  if (!(await insertAction(tx, { id, ...action }))) return false;
  await enqueue('execute-action', [{ data: { actionId: id, account }, startAfter }], tx);
  return true;
}
