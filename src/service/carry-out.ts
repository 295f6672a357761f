/** Writes a decision down: the instruction and the job that sends it, the next review, or the end of the case. */
import { randomUUID } from 'node:crypto';
import type { DateTime } from 'luxon';
import type { Clock } from '../clock.ts';
import type { ExtendedTransaction } from '../contract-extensions.ts';
import type { Enqueue } from '../jobs/jobs.ts';
import type { Logger } from '../logger.ts';
import type { Transaction } from '../store/database.ts';
import type { CaseSnapshot } from './case-snapshot.ts';
import { isBankDebit } from './classify-decline.ts';
import { COLLECTION_PAUSED } from './policy/decide-by-class.ts';
import type { Decision, SuggestedAction } from './policy/payment-case.ts';
import type { ServicePayloads } from './service-queues.ts';
import { settleByReplacement } from './settle-action.ts';
import type { CaseAction } from './store/case-facts.ts';
import { type CaseRow, updateCase } from './store/payment-cases.ts';
import { closeRecoveryAction, insertRecoveryAction } from './store/recovery-actions.ts';

export interface CarryOutDeps {
  clock: Clock;
  logger: Logger;
  enqueue: Enqueue<ServicePayloads>;
  organization: string;
  /** The ingest request that led to this look, for the log. */
  causedBy?: string | undefined;
}

/** One look at one case, within one transaction that holds the case. */
export interface Look {
  tx: Transaction;
  invoiceId: string;
  now: DateTime;
  row: CaseRow;
  snapshot: CaseSnapshot;
}

export interface Verdict extends Look {
  /** The failed transaction that the decision is about. */
  failure: ExtendedTransaction;
  outstanding: CaseAction | undefined;
  decision: Decision;
}

/** How long after its ideal time an instruction's outcome is awaited. Bank debits take days to come back. */
const OUTCOME_HOURS = 24;
const BANK_DEBIT_OUTCOME_DAYS = 15;

export async function carryOut(deps: CarryOutDeps, verdict: Verdict): Promise<void> {
  const { decision } = verdict;
  if ('waitUntil' in decision) {
    // What was asked before the pause would come to nothing; it must not count as an attempt.
    if (decision.reason === COLLECTION_PAUSED) await replaceOutstanding(verdict, COLLECTION_PAUSED);
    await reviewLater(deps, verdict, decision.waitUntil);
    return;
  }
  await replaceOutstanding(verdict);
  if ('stop' in decision) {
    await giveUp(deps, verdict);
    return;
  }
  await instruct(deps, verdict, decision);
  const isSlow = isBankDebit(verdict.failure.paymentMethodType);
  const patience = isSlow ? { days: BANK_DEBIT_OUTCOME_DAYS } : { hours: OUTCOME_HOURS };
  await reviewLater(deps, verdict, decision.at.plus(patience));
}

async function replaceOutstanding(
  { tx, outstanding, now }: Verdict,
  statusReason = 'superseded',
): Promise<void> {
  if (!outstanding) return;
  const closure = settleByReplacement(outstanding, now, statusReason);
  await closeRecoveryAction(tx, outstanding.id, { ...closure, now });
}

async function instruct(deps: CarryOutDeps, verdict: Verdict, decision: SuggestedAction): Promise<void> {
  const { tx, invoiceId, snapshot, failure, now } = verdict;
  const id = randomUUID();
  const requestId = randomUUID();
  await insertRecoveryAction(tx, {
    id,
    organization: deps.organization,
    requestId,
    invoiceId,
    subscriptionId: snapshot.invoice.subscriptionId,
    customerId: snapshot.invoice.customerId,
    paymentMethodType: failure.paymentMethodType,
    cardCountry: failure.cardCountry,
    currency: snapshot.invoice.currency,
    suggestion: decision.suggestion,
    idealRetryAt: decision.at,
    reason: decision.reason,
    reasons: decision.reasons,
    expectedGain: decision.expectedGain,
    propensity: decision.propensity,
    arm: decision.arm,
    decidedFor: failure.id,
    now,
  });
  const { suggestion, reasons, arm, propensity, draw } = decision;
  const { causedBy } = deps;
  const at = decision.at.toISO();
  deps.logger.info(
    { requestId, invoiceId, causedBy, suggestion, at, reasons, arm, propensity, draw },
    'a suggestion was made',
  );
  await deps.enqueue('send', [{ data: { organization: deps.organization, actionId: id } }], tx);
}

/** The case is looked at again then, whatever becomes of the instruction: a lost outcome never ends it silently. */
async function reviewLater(deps: CarryOutDeps, verdict: Verdict, reviewAt: DateTime): Promise<void> {
  const { tx, invoiceId, failure, decision, now } = verdict;
  await updateCase(tx, deps.organization, invoiceId, {
    state: 'open',
    reason: decision.reason,
    reasons: decision.reasons,
    draw: decision.draw,
    decidedFor: failure.id,
    reviewAt,
    now,
  });
  const { organization } = deps;
  await deps.enqueue('decide', [{ data: { organization, invoiceId }, startAfter: reviewAt }], tx);
}

async function giveUp(deps: CarryOutDeps, verdict: Verdict): Promise<void> {
  const { tx, invoiceId, failure, decision, now } = verdict;
  await updateCase(tx, deps.organization, invoiceId, {
    state: 'closed',
    reason: decision.reason,
    reasons: decision.reasons,
    draw: decision.draw,
    decidedFor: failure.id,
    reviewAt: undefined,
    now,
  });
  const { reason, reasons } = decision;
  deps.logger.info({ invoiceId, causedBy: deps.causedBy, reason, reasons }, 'a case was given up');
}
