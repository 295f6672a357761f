import type { DateTime } from 'luxon';
import type { Clock } from '../../../core/base/clock.ts';
import type { Transaction } from '../../../core/database/database.ts';
import type { Enqueue } from '../../../core/jobs/enqueue.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import { findTurn, type NewInstruction, recordInstruction } from '../../store/tables/retry/instructions.ts';

/** Content of a message from any source. */
export type Asked = Omit<NewInstruction, 'account' | 'source' | 'receivedAt' | 'issuedAt'>;

export interface Given<Message> {
  readonly account: string;
  readonly message: Message;
  readonly receivedAt: DateTime;
}

export interface Taken<Message> extends Given<Message> {
  readonly instruction: NewInstruction;
  /** False for a known request id. */
  readonly isNew: boolean;
}

/**
 * A source of instructions, one file each. All are planned, guarded and reported alike. A person's request is no instruction, which could be
 * replaced or held, but an action with cause `operator`.
 */
export interface Source<Message, Answer> {
  /** Stored with its instructions. */
  readonly name: string;
  /** Throws REQUEST_INVALID. */
  read(message: Message): Asked;
  /** Orders two instructions for an invoice. Default: now, after all others. */
  issuedAt?(tx: Transaction, given: Given<Message>): Promise<DateTime>;
  /** Commits with the instruction. */
  answer(tx: Transaction, taken: Taken<Message>): Promise<Answer>;
}

interface SourceDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly enqueue: Enqueue<PluginQueues>;
}

/** Records a message once and returns the source's answer. */
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
 * Records an instruction once, with its planning job in its payer's turn, so that a flood about one payer or unknown invoices delays no other.
 * False for a known request id.
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
