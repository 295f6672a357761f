/** What became of an outstanding recovery action. Pure. */
import { DateTime } from 'luxon';
import type { TransactionMessage } from '../contract.ts';
import type { CaseAction } from './store/case-facts.ts';
import type { ActionClosure } from './store/recovery-actions.ts';

const OUTCOMES: ReadonlyMap<string, 'SUCCEEDED' | 'FAILED'> = new Map([
  ['TRANSACTION_STATE_PAID', 'SUCCEEDED'],
  ['TRANSACTION_STATE_FAILED', 'FAILED'],
]);

/** The first new transaction at or after its ideal time is an action's result; undefined while there is none. */
export function settleByTransaction(
  action: CaseAction,
  transactions: readonly TransactionMessage[],
): ActionClosure | undefined {
  if (!mayHaveArrived(action)) return undefined;
  const result = transactions.find(
    (transaction) =>
      OUTCOMES.has(transaction.state) &&
      transaction.id !== action.decidedFor &&
      DateTime.fromISO(transaction.createdAt, { zone: 'utc' }).toMillis() >= action.idealRetryAt.getTime(),
  );
  const status = result && OUTCOMES.get(result.state);
  if (!status) return undefined;
  return { status, statusReason: undefined, transactionId: result.id, isExecuted: true };
}

/** The invoice was paid and no transaction told of it: ours, if its time had come. */
export function settleByPayment(action: CaseAction, paidAt: DateTime): ActionClosure {
  const isOurs = mayHaveArrived(action) && action.idealRetryAt.getTime() <= paidAt.toMillis();
  return {
    status: isOurs ? 'SUCCEEDED' : 'CANCELED',
    statusReason: 'invoice_paid',
    transactionId: undefined,
    isExecuted: isOurs,
  };
}

/** An action that makes room for the next one, or for the end of its case. */
export function settleByReplacement(action: CaseAction, now: DateTime, statusReason: string): ActionClosure {
  const isLost = action.status === 'SENT' && action.idealRetryAt.getTime() <= now.toMillis();
  return {
    status: isLost ? 'FAILED' : 'CANCELED',
    statusReason: isLost ? 'no_outcome_was_reported' : statusReason,
    transactionId: undefined,
    isExecuted: false,
  };
}

/** An instruction whose acknowledgement was lost may have been carried out all the same. */
function mayHaveArrived(action: CaseAction): boolean {
  return action.status === 'SENT' || action.sendAttempts > 0;
}
