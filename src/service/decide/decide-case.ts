/** Decides about one invoice: settles pending actions, then closes the case or picks the next step. Writes nothing. */
import type { DateTime } from 'luxon';
import type { Policy } from '../policy/create-policy.ts';
import { COLLECTION_PAUSED } from '../policy/decide-by-class.ts';
import { findPayerSignal, type PayerSignal } from '../policy/payer-signal.ts';
import type { Decision, HoldoutDraw } from '../policy/payment-case.ts';
import type { CaseAction } from '../store/case-facts.ts';
import type { CaseRow } from '../store/payment-cases.ts';
import { applyDecision } from './apply-decision.ts';
import type { CaseChange, CaseOutcome } from './case-outcome.ts';
import {
  applyClosures,
  type CaseSettings,
  type CaseSnapshot,
  type ClosingReason,
  findClosingReason,
  findOutstanding,
  findRemaining,
  listFailures,
  toPaymentCase,
} from './case-snapshot.ts';
import {
  settleByEnd,
  settleByPayment,
  settleByReplacement,
  settleByTransaction,
  settleLate,
} from './settle-action.ts';

/** The case is held: no two decisions about it are made together. */
export interface CaseInput {
  readonly now: DateTime;
  readonly row: CaseRow;
  readonly snapshot: CaseSnapshot;
  readonly policy: Policy;
  readonly settings: CaseSettings;
}

/** May be asked at any time and twice: it acts on a new failed transaction, or when the case's review is due. */
export function decideCase(given: CaseInput): CaseOutcome {
  const { row } = given;
  const late = settleLate(given.snapshot.actions, given.snapshot.transactions);
  const input = { ...given, snapshot: applyClosures(given.snapshot, late) };
  const reason = findClosingReason(input.snapshot);
  const change = reason ? closeForGood(input, reason) : moveOn(input);
  return { invoiceId: row.invoiceId, late, ...change };
}

/** Closes a paid, canceled or settled invoice: no more requests, and unsent ones are withdrawn. */
function closeForGood({ now, snapshot, row }: CaseInput, reason: ClosingReason): CaseChange {
  const { invoiceId, decidedFor } = row;
  const outstanding = findOutstanding(snapshot);
  const closed =
    outstanding &&
    (settleByTransaction(outstanding, snapshot.transactions) ??
      (reason === 'invoice_paid'
        ? settleByPayment(outstanding, snapshot.invoice.updatedAt)
        : settleByReplacement(outstanding, now, reason)));
  if (row.state === 'closed' && row.reason === reason) return { closed };
  return {
    closed,
    update: { invoiceId, state: 'closed', reason, reasons: [{ code: reason }], decidedFor },
    news: { message: 'a case was closed', fields: { reason } },
  };
}

function moveOn(input: CaseInput): CaseChange {
  const { now, row, policy, settings } = input;
  const before = findOutstanding(input.snapshot);
  const { transactions } = input.snapshot;
  const closed = before && (settleByTransaction(before, transactions) ?? settleByEnd(before, transactions));
  const snapshot = closed ? applyClosures(input.snapshot, [closed]) : input.snapshot;
  const outstanding = closed ? undefined : before;
  const failure = listFailures(snapshot).at(-1);
  // A payment of all that is owed is followed by its invoice's own message; until then nothing is asked.
  const amount = findRemaining(snapshot);
  if (!failure || amount === 0) return { closed };
  const isNew = failure.id !== row.decidedFor;
  const paymentCase = toPaymentCase(snapshot, settings, { amount, draw: readDraw(row) });
  const signal = findPayerSignal(paymentCase);
  const isSignal = isHeard(input, { signal, outstanding });
  const isPaused = snapshot.pause !== undefined;
  const isPauseNews = row.state === 'open' && isPaused !== (row.reason === COLLECTION_PAUSED);
  const isEnded = closed?.statusReason?.code === 'not_carried_out' && paymentCase.cardBarredBy !== undefined;
  if (!isNew && !isPauseNews && !isSignal && !isEnded && !isDue(row, now)) return { closed };
  // An email that could not be handed over yet is not asked for again: the sender still tries.
  const isWaiting =
    !isNew && !isPaused && !isSignal && outstanding !== undefined && isUnsentEmail(outstanding);
  const decision = isWaiting ? awaitReceiver(now) : policy.decide(paymentCase, now);
  const verdict = { now, snapshot, failure, outstanding, decision, heardOf: signal?.id };
  return { closed, ...applyDecision(verdict) };
}

/** Whether another invoice of the payer brought news. A due instruction's outcome is awaited first. */
function isHeard(
  { row, now }: CaseInput,
  { signal, outstanding }: { signal: PayerSignal | undefined; outstanding: CaseAction | undefined },
): boolean {
  const isRunning = outstanding !== undefined && outstanding.idealRetryAt <= now;
  return row.state === 'open' && signal?.id !== undefined && signal.id !== row.heardOf && !isRunning;
}

function readDraw({ isHeldOut, holdoutPercent, holdoutSeed }: CaseRow): HoldoutDraw | undefined {
  if (isHeldOut === null) return undefined;
  return { isHeldOut, percent: holdoutPercent ?? 0, seed: holdoutSeed ?? 0 };
}

function awaitReceiver(now: DateTime): Decision {
  const reasons = [{ code: 'request_not_delivered' }] as const;
  return { waitUntil: now.plus({ days: 1 }), reason: 'waiting_for_the_receiver', reasons };
}

function isDue(row: CaseRow, now: DateTime): boolean {
  return row.reviewAt !== null && row.reviewAt <= now;
}

function isUnsentEmail(action: CaseAction): boolean {
  return action.status === 'PENDING' && action.suggestion !== 'ACTION_SUGGESTION_RETRY';
}
