/** What became of an outstanding recovery action. Pure. */
import { DateTime } from 'luxon';
import type { ExtendedTransaction } from '../../core/contract/contract-extensions.ts';
import type { StatusCode } from '../reasons/status-reason.ts';
import type { CaseAction } from '../store/case-facts.ts';
import type { ActionClosure } from '../store/recovery-actions.ts';

const OUTCOMES: ReadonlyMap<string, 'SUCCEEDED' | 'FAILED'> = new Map([
  ['TRANSACTION_STATE_PAID', 'SUCCEEDED'],
  ['TRANSACTION_STATE_FAILED', 'FAILED'],
]);

/** The first new transaction at or after its ideal time is an action's result; undefined while there is none. */
export function settleByTransaction(
  action: CaseAction,
  transactions: readonly ExtendedTransaction[],
): ActionClosure | undefined {
  if (!mayHaveArrived(action)) return undefined;
  const result = transactions.find(
    (transaction) =>
      OUTCOMES.has(transaction.state) &&
      transaction.id !== action.decidedFor &&
      madeAt(transaction) >= action.idealRetryAt.toMillis(),
  );
  const outcome = result && OUTCOMES.get(result.state);
  if (!outcome) return undefined;
  const status = outcome === 'FAILED' ? failureOf(action) : outcome;
  return { id: action.id, status, transactionId: result.id, isExecuted: status !== 'EXPIRED' };
}

/** A retry can fail. A request to the customer ends unanswered: a payment declined since then is not its result. */
function failureOf({ suggestion }: CaseAction): 'FAILED' | 'EXPIRED' {
  return suggestion === 'ACTION_SUGGESTION_RETRY' ? 'FAILED' : 'EXPIRED';
}

/** The receiver has ended it before it was tried: no attempt was made. */
export function settleByEnd(
  action: CaseAction,
  transactions: readonly ExtendedTransaction[],
): ActionClosure | undefined {
  const end = transactions.find(({ endedRequestId }) => endedRequestId === action.requestId);
  if (!end) return undefined;
  const statusReason = { code: 'not_carried_out', because: end.endedReason ?? 'unknown' } as const;
  return { id: action.id, status: 'CANCELED', statusReason, isExecuted: false };
}

/**
 * Settles actions that ended without an outcome and got one later: sending was given up and the listing brought them, or the
 * outcome was reported late. Theirs are payments and declines from their ideal time until the next action was made.
 */
export function settleLate(
  actions: readonly CaseAction[],
  transactions: readonly ExtendedTransaction[],
): ActionClosure[] {
  const taken = new Set(actions.map(({ transactionId }) => transactionId));
  return actions.flatMap((action, index) => {
    if (!WITHOUT_OUTCOME.has(action.status) || action.transactionId !== null) return [];
    const end = actions[index + 1]?.createdAt.toMillis() ?? Number.POSITIVE_INFINITY;
    const own = transactions.filter((one) => !taken.has(one.id) && madeAt(one) < end);
    return settleByTransaction(action, own) ?? [];
  });
}

const WITHOUT_OUTCOME: ReadonlySet<string> = new Set(['FAILED', 'EXPIRED', 'CANCELED']);

/** The invoice was paid and no transaction reported it: ours, if its time had come. */
export function settleByPayment(action: CaseAction, paidAt: DateTime): ActionClosure {
  const isOurs = mayHaveArrived(action) && action.idealRetryAt <= paidAt;
  const status = isOurs ? 'SUCCEEDED' : 'CANCELED';
  return { id: action.id, status, statusReason: { code: 'invoice_paid' }, isExecuted: isOurs };
}

/** An action that makes room for the next one, or for the end of its case. */
export function settleByReplacement(action: CaseAction, now: DateTime, code: StatusCode): ActionClosure {
  const isKnown = action.status === 'SENT' || action.listedAt !== null;
  const isOver = isKnown && action.idealRetryAt <= now;
  const status = isOver ? failureOf(action) : 'CANCELED';
  const statusReason = { code: status === 'FAILED' ? 'no_outcome_was_reported' : code } as const;
  return { id: action.id, status, statusReason, isExecuted: false };
}

/**
 * An instruction whose acknowledgement was lost may have been carried out nevertheless, and so may an unsent one that was read
 * in the listing.
 */
function mayHaveArrived({ status, listedAt, sendAttempts, isRefused }: CaseAction): boolean {
  return status === 'SENT' || listedAt !== null || (sendAttempts > 0 && !isRefused);
}

function madeAt({ createdAt }: ExtendedTransaction): number {
  return DateTime.fromISO(createdAt, { zone: 'utc' }).toMillis();
}
