/** The job that looks at one invoice: settles what is outstanding, then closes the case or says what comes next. */
import { DateTime } from 'luxon';
import type { AttemptLimits } from '../attempt-limits.ts';
import type { Database } from '../store/database.ts';
import type { Look } from './carry-out.ts';
import { type CarryOutDeps, carryOut } from './carry-out.ts';
import {
  type CaseSnapshot,
  type ClosingReason,
  closingInWords,
  findClosingReason,
  findOutstanding,
  findPause,
  listFailures,
  readSnapshot,
  toPaymentCase,
} from './case-snapshot.ts';
import { COLLECTION_PAUSED } from './policy/decide-by-class.ts';
import type { Decision, HoldoutDraw } from './policy/payment-case.ts';
import { type PolicyMemory, recallPolicy } from './policy-memory.ts';
import { settleByPayment, settleByReplacement, settleByTransaction, settleLate } from './settle-action.ts';
import type { CaseAction } from './store/case-facts.ts';
import { type CaseRow, claimCase, openCase, updateCase } from './store/payment-cases.ts';
import { closeRecoveryAction, lockActionOrder, recordLateOutcome } from './store/recovery-actions.ts';

export interface DecideDeps extends CarryOutDeps {
  database: Database;
  defaultTimeZone: string;
  /** Share of the cases that keep the static schedule. */
  holdoutPercent: number;
  /** What the receiver holds to: more is not suggested. */
  attemptLimits: AttemptLimits;
}

/** Safe to run at any time and twice: it acts on a new failed transaction, or when the case's review is due. */
export async function decideCase(deps: DecideDeps, invoiceId: string): Promise<void> {
  const { database, clock, organization } = deps;
  await database.transaction(async (tx) => {
    await openCase(tx, organization, invoiceId, clock.now());
    const row = await claimCase(tx, organization, invoiceId);
    if (!row) return;
    await lockActionOrder(tx, organization);
    const now = clock.now();
    const snapshot = await readSnapshot(tx, organization, invoiceId);
    if (!snapshot) return;
    for (const { id, closure } of settleLate(snapshot.actions, snapshot.transactions))
      await recordLateOutcome(tx, id, { ...closure, now });
    const memory = await recallPolicy(tx, deps);
    await memory.learnAnswers(snapshot);
    const look = { tx, invoiceId, now, row, snapshot, memory };
    const closingReason = findClosingReason(snapshot);
    if (closingReason) await closeForGood(deps, look, closingReason);
    else await moveOn(deps, look);
    await memory.keep(now);
  });
}

/** A look with the policy at hand: the order of actions is locked, so no two decisions teach it at once. */
interface LearningLook extends Look {
  memory: PolicyMemory;
}

/** Paid, canceled or no longer owed: nothing more is asked, and what was not sent is withdrawn. */
async function closeForGood(deps: DecideDeps, look: LearningLook, reason: ClosingReason): Promise<void> {
  const { tx, now, snapshot, row, invoiceId, memory } = look;
  const outstanding = findOutstanding(snapshot);
  if (outstanding) {
    const closure =
      settleByTransaction(outstanding, snapshot.transactions) ??
      (reason === 'invoice_paid'
        ? settleByPayment(outstanding, DateTime.fromJSDate(snapshot.invoice.updatedAt))
        : settleByReplacement(outstanding, now, reason));
    await closeRecoveryAction(tx, outstanding.id, { ...closure, now });
  }
  if (row.state === 'closed' && row.reason === reason) return;
  if (row.state !== 'closed') memory.learnEnd(snapshot, reason === 'invoice_paid');
  const { decidedFor } = row;
  await updateCase(tx, deps.organization, invoiceId, {
    state: 'closed',
    reason,
    reasons: [closingInWords(reason)],
    decidedFor,
    reviewAt: undefined,
    now,
  });
  deps.logger.info({ invoiceId, causedBy: deps.causedBy, reason }, 'a case was closed');
}

async function moveOn(deps: DecideDeps, look: LearningLook): Promise<void> {
  const { tx, now, row, invoiceId, memory } = look;
  const outstanding = await settleOutstanding(look);
  const isChanged = outstanding !== findOutstanding(look.snapshot);
  const fresh = isChanged ? await readSnapshot(tx, deps.organization, invoiceId) : undefined;
  const snapshot = fresh ?? look.snapshot;
  const failure = listFailures(snapshot).at(-1);
  // A payment that succeeded is followed by its invoice's own message; until then nothing is asked.
  if (!failure || isPaid(snapshot)) return;
  const isNew = failure.id !== row.decidedFor;
  const isPaused = findPause(snapshot) !== undefined;
  const isPauseNews = row.state === 'open' && isPaused !== (row.reason === COLLECTION_PAUSED);
  if (!isNew && !isPauseNews && !isDue(row, now)) return;
  // A mail that could not be handed over yet is not asked for again: the sender still tries.
  const isWaiting = !isNew && !isPaused && outstanding !== undefined && isUnsentMail(outstanding);
  const { defaultTimeZone, attemptLimits } = deps;
  const decision = isWaiting
    ? awaitReceiver(now)
    : memory.policy.decide(
        toPaymentCase(snapshot, { defaultTimeZone, attemptLimits, draw: readDraw(row) }),
        now,
      );
  if ('stop' in decision) memory.learnEnd(snapshot, false);
  await carryOut(deps, { ...look, snapshot, failure, outstanding, decision });
}

function readDraw({ isHeldOut, holdoutPercent, holdoutSeed }: CaseRow): HoldoutDraw | undefined {
  if (isHeldOut === null) return undefined;
  return { isHeldOut, percent: holdoutPercent ?? 0, seed: holdoutSeed ?? 0 };
}

function awaitReceiver(now: DateTime): Decision {
  const reasons = ['The request for the customer could not be handed over yet; it is tried again.'];
  return { waitUntil: now.plus({ days: 1 }), reason: 'waiting_for_the_receiver', reasons };
}

/** Returns the action that is still outstanding. */
async function settleOutstanding({ tx, now, snapshot }: Look): Promise<CaseAction | undefined> {
  const outstanding = findOutstanding(snapshot);
  const closure = outstanding && settleByTransaction(outstanding, snapshot.transactions);
  if (!closure) return outstanding;
  await closeRecoveryAction(tx, outstanding.id, { ...closure, now });
  return undefined;
}

function isPaid({ transactions }: CaseSnapshot): boolean {
  return transactions.at(-1)?.state === 'TRANSACTION_STATE_PAID';
}

function isDue(row: CaseRow, now: DateTime): boolean {
  return row.reviewAt !== null && row.reviewAt.getTime() <= now.toMillis();
}

function isUnsentMail(action: CaseAction): boolean {
  return action.status === 'PENDING' && action.suggestion !== 'ACTION_SUGGESTION_RETRY';
}
