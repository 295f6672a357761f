import type { Transaction } from '../../../core/database/database.ts';
import type { Enqueue } from '../../../core/jobs/enqueue.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import { type NewInstruction, recordInstruction } from '../../store/tables/retry/instructions.ts';

/** Records an instruction once, with the job that plans it, whichever way it came. False if its request id is known. */
export async function acceptInstruction(
  tx: Transaction,
  enqueue: Enqueue<PluginQueues>,
  instruction: NewInstruction,
): Promise<boolean> {
  if (!(await recordInstruction(tx, instruction))) return false;
  const { account, requestId } = instruction;
  await enqueue('schedule-instruction', [{ data: { account, requestId } }], tx);
  return true;
}
