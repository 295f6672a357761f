/** What a decision changes: the instruction, the next review, or the end of the case. */
import { randomUUID } from 'node:crypto';
import type { DateTime } from 'luxon';
import type { ExtendedTransaction } from '../../core/contract/contract-extensions.ts';
import { isBankDebit } from '../policy/classify-decline.ts';
import { COLLECTION_PAUSED } from '../policy/decide-by-class.ts';
import type { Decision, SuggestedAction } from '../policy/payment-case.ts';
import type { StatusCode } from '../reasons/status-reason.ts';
import type { CaseAction } from '../store/case-facts.ts';
import type { CaseUpdate } from '../store/payment-cases.ts';
import type { ActionClosure, NewRecoveryAction } from '../store/recovery-actions.ts';
import type { CaseChange } from './case-outcome.ts';
import type { CaseSnapshot } from './case-snapshot.ts';
import { settleByReplacement } from './settle-action.ts';

export interface Verdict {
  readonly now: DateTime;
  readonly snapshot: CaseSnapshot;
  /** The failed transaction that the decision is about. */
  readonly failure: ExtendedTransaction;
  readonly outstanding: CaseAction | undefined;
  readonly decision: Decision;
  /** The answer on another invoice of the payer that it rests on. */
  readonly heardOf: string | undefined;
}

/** How long after its ideal time an instruction's outcome is awaited. Bank debits take days to come back. */
const OUTCOME_HOURS = 24;
const BANK_DEBIT_OUTCOME_DAYS = 15;

/** `closed` is left out where the outstanding action stays. */
export function applyDecision(verdict: Verdict): CaseChange {
  const { decision, failure } = verdict;
  if ('waitUntil' in decision) {
    const update = toUpdate(verdict, { state: 'open', reviewAt: decision.waitUntil });
    // A request from before the pause would fail; it must not count as an attempt.
    if (decision.reason === COLLECTION_PAUSED)
      return { ...replaceOutstanding(verdict, COLLECTION_PAUSED), update };
    return { update };
  }
  if ('stop' in decision) {
    const { reason, reasons } = decision;
    const update = toUpdate(verdict, { state: 'closed' });
    return {
      ...replaceOutstanding(verdict),
      update,
      news: { message: 'a case was given up', fields: { reason, reasons } },
    };
  }
  const isSlow = isBankDebit(failure.paymentMethodType);
  const patience = isSlow ? { days: BANK_DEBIT_OUTCOME_DAYS } : { hours: OUTCOME_HOURS };
  const update = toUpdate(verdict, { state: 'open', reviewAt: decision.at.plus(patience) });
  if (isAsked(verdict, decision)) return { update };
  return { ...replaceOutstanding(verdict), ...instruct(verdict, decision), update };
}

/** The same is outstanding already. */
function isAsked({ outstanding, failure }: Verdict, { suggestion, at }: SuggestedAction): boolean {
  if (outstanding?.suggestion !== suggestion || outstanding.decidedFor !== failure.id) return false;
  return outstanding.idealRetryAt.toMillis() === at.toMillis();
}

function replaceOutstanding(
  { outstanding, now }: Verdict,
  statusReason: StatusCode = 'superseded',
): { closed?: ActionClosure } {
  return outstanding ? { closed: settleByReplacement(outstanding, now, statusReason) } : {};
}

function instruct({ snapshot: { invoice }, failure }: Verdict, decision: SuggestedAction): CaseChange {
  const { suggestion, reason, reasons, odds, draw } = decision;
  const action: NewRecoveryAction = {
    id: randomUUID(),
    requestId: randomUUID(),
    invoiceId: invoice.id,
    subscriptionId: invoice.subscriptionId,
    customerId: invoice.customerId,
    paymentMethodType: failure.paymentMethodType,
    cardCountry: failure.cardCountry,
    currency: invoice.currency,
    suggestion,
    idealRetryAt: decision.at,
    reason,
    reasons,
    decidedFor: failure.id,
  };
  const { requestId } = action;
  const fields = { requestId, suggestion, at: decision.at.toISO(), reasons, odds, draw };
  return { action, news: { message: 'a suggestion was made', fields } };
}

function toUpdate(
  { snapshot, failure, decision, heardOf }: Verdict,
  next: Pick<CaseUpdate, 'state' | 'reviewAt'>,
): CaseUpdate {
  const { reason, reasons, draw } = decision;
  return { invoiceId: snapshot.invoice.id, decidedFor: failure.id, heardOf, reason, reasons, draw, ...next };
}
