/** What the service is answered to an instruction that was received: what will come of it, as far as that is known then. */
import type { Accounts } from '../../config/accounts.ts';
import type { Transaction } from '../../store/engine/database.ts';
import type { ActionKind } from '../../store/tables/retry/actions.ts';
import { findHold, isHeld } from '../../store/tables/retry/holds.ts';
import type { NewInstruction } from '../../store/tables/retry/instructions.ts';
import { findAccountObjection } from '../../store/tables/stored-accounts.ts';
import { findInvoice } from '../../store/tables/sync/invoices.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { scheduleInstruction } from './schedule.ts';

export interface AcknowledgeDeps {
  readonly config: Pick<RetryDeps['config'], 'horizonDays' | 'timeZone' | 'emailWindow'>;
  readonly accounts: Pick<Accounts, 'find'>;
}

export const KNOWN_ALREADY = 'Known already; nothing new is done';

const SCHEDULED: Readonly<Record<ActionKind, string>> = {
  pay: 'Retry scheduled',
  card_update_email: 'Card update mail scheduled',
  confirm_payment_email: 'Confirmation mail scheduled',
};

/**
 * Rests on the instruction and on what is stored. The job that plans it asks Stripe too, and has the last word; a
 * person's note on why an invoice is held is not the service's to read.
 */
export async function acknowledge(
  { config, accounts }: AcknowledgeDeps,
  tx: Transaction,
  { account, type, invoiceId, suggestion, idealRetryAt, receivedAt: now }: NewInstruction,
): Promise<string> {
  const objection = await findAccountObjection(tx, accounts, account);
  if (objection !== undefined) return refused(objection);
  if (type === 'stop') return 'Stop recorded';
  if (type !== 'suggestion' || invoiceId === undefined) return idle('this type of message is not understood');
  if (isHeld(await findHold(tx, account, invoiceId))) return idle('a person stopped the invoice');
  const schedule = scheduleInstruction(suggestion ?? '', idealRetryAt ?? now, {
    now,
    horizonDays: config.horizonDays,
    zone: config.timeZone,
    window: config.emailWindow,
    invoice: await findInvoice(tx, account, invoiceId),
  });
  if (schedule.kind === 'action') return SCHEDULED[schedule.action];
  return schedule.kind === 'refused' ? refused(schedule.reason) : idle(schedule.reason);
}

function idle(reason: string): string {
  return `Recorded; nothing is done: ${reason}`;
}

function refused(reason: string): string {
  return `Recorded and refused: ${reason}`;
}
