import type { DateTime } from 'luxon';
import type { Clock } from '../../../core/base/clock.ts';
import type { Transaction } from '../../../core/database/database.ts';
import type { Enqueue } from '../../../core/jobs/enqueue.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import { findTurn, type NewInstruction, recordInstruction } from '../../store/tables/retry/instructions.ts';

/** What a message asks for, whichever source it comes from. */
export type Asked = Omit<NewInstruction, 'account' | 'source' | 'receivedAt' | 'issuedAt'>;

export interface Given<Message> {
  readonly account: string;
  readonly message: Message;
  readonly receivedAt: DateTime;
}

export interface Taken<Message> extends Given<Message> {
  readonly instruction: NewInstruction;
  /** False if its request id is known. */
  readonly isNew: boolean;
}

/**
 * One way in which instructions come, one file each. From here on all are planned, guarded and reported alike. A person's
 * request is no instruction that could be replaced or held, but an action of the cause `operator`.
 */
export interface Source<Message, Answer> {
  /** Stored with each of its instructions. */
  readonly name: string;
  /** Throws REQUEST_INVALID. */
  read(message: Message): Asked;
  /** Decides which of two instructions for an invoice is newer. Left out: it was given now, after all others. */
  issuedAt?(tx: Transaction, given: Given<Message>): Promise<DateTime>;
  /** Commits together with the instruction. */
  answer(tx: Transaction, taken: Taken<Message>): Promise<Answer>;
}

interface SourceDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly enqueue: Enqueue<PluginQueues>;
}

/** Records what a message asks for, once, and returns the source's answer. */
export async function takeIn<Message, Answer>(
  deps: SourceDeps,
  tx: Transaction,
  source: Source<Message, Answer>,
  { account, message, asked = source.read(message) }: { account: string; message: Message; asked?: Asked },
): Promise<Answer> {
  const given = { account, message, receivedAt: deps.clock.now() };
  const { receivedAt } = given;
  const issuedAt = await source.issuedAt?.(tx, given);
  const instruction = { ...asked, account, source: source.name, receivedAt, issuedAt };
  const isNew = await acceptInstruction(tx, deps.enqueue, instruction);
  return source.answer(tx, { ...given, instruction, isNew });
}

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
