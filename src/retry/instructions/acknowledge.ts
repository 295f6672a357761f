/** What the service is answered to an instruction that was received: what will come of it, as far as that is known then. */
import type { Accounts } from '../../config/accounts.ts';
import type { Transaction } from '../../store/engine/database.ts';
import type { Acknowledgment } from '../../store/tables/retry/acknowledgment.ts';
import { findHold, isHeld } from '../../store/tables/retry/holds.ts';
import type { NewInstruction } from '../../store/tables/retry/instructions.ts';
import { findAccountObjection } from '../../store/tables/stored-accounts.ts';
import { findInvoice } from '../../store/tables/sync/invoices.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { scheduleInstruction } from './schedule.ts';

export interface AcknowledgeDeps {
  readonly config: Pick<RetryDeps['config'], 'retryHorizonDays' | 'timeZone' | 'emailWindow'>;
  readonly accounts: Pick<Accounts, 'find'>;
}

/**
 * Rests on the instruction and on what is stored. The job that plans it asks Stripe too, and has the last word; a
 * person's note on why an invoice is held is not the service's to read.
 */
export async function acknowledge(
  { config, accounts }: AcknowledgeDeps,
  tx: Transaction,
  { account, type, invoiceId, suggestion, idealRetryAt, receivedAt: now }: NewInstruction,
): Promise<Acknowledgment> {
  const objection = await findAccountObjection(tx, accounts, account);
  if (objection !== undefined) return { kind: 'refused', reason: objection };
  if (type === 'stop') return { kind: 'stop' };
  if (type !== 'suggestion' || invoiceId === undefined)
    return { kind: 'no_action', reason: { code: 'message_not_understood' } };
  if (isHeld(await findHold(tx, account, invoiceId)))
    return { kind: 'no_action', reason: { code: 'stopped_by_person' } };
  return scheduleInstruction(suggestion ?? '', idealRetryAt ?? now, {
    now,
    retryHorizonDays: config.retryHorizonDays,
    zone: config.timeZone,
    window: config.emailWindow,
    invoice: await findInvoice(tx, account, invoiceId),
  });
}
