import type { Transaction } from '../../../core/database/database.ts';
import type { Enqueue } from '../../../core/jobs/enqueue.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import { findTurn, type NewInstruction, recordInstruction } from '../../store/tables/retry/instructions.ts';

/**
 * Records an instruction once, with the job that plans it, in its payer's turn: a flood about one payer, or about invoices
 * that nobody knows, makes no other payer wait. False if its request id is known.
 */
export async function acceptInstruction(
  tx: Transaction,
  enqueue: Enqueue<PluginQueues>,
  instruction: NewInstruction,
): Promise<boolean> {
  if (!(await recordInstruction(tx, instruction))) return false;
  const { account, requestId, invoiceId } = instruction;
  const priority = await findTurn(tx, account, invoiceId);
  await enqueue('schedule-instruction', [{ data: { account, requestId }, priority }], tx);
  return true;
}
