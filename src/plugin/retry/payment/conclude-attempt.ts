/** Records the outcome of our attempt, and reports it to the service if Stripe made no charge. */
import type { DateTime } from 'luxon';
import { toFailedTransaction, unchargedAttemptId } from '../../../core/contract/failed-transaction.ts';
import { findDecline } from '../../../core/declines/find-decline.ts';
import type { Reason } from '../../reasons/reason.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import {
  type AttemptResult,
  finishAttempt,
  isAsRead,
  listAttemptsOfInvoice,
  type StoredAttempt,
} from '../../store/tables/retry/attempts.ts';
import type { ActionResult } from '../actions/action-result.ts';
import type { Objection } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { planFollowing, planKeeping } from './keep-card.ts';
import type { OutcomeCodes, PaymentOutcome } from './outcome.ts';

type KnownOutcome = Exclude<PaymentOutcome, { kind: 'unknown' }>;

/** The action continued without this run. */
export const LOST_CLAIM: Objection = { guard: 'claim', reason: { code: 'claim_lost' } };
export const WITHHELD_SECONDS = 15;

/** Stripe's answer counts. An outcome that was read counts only if the attempt is unchanged since: `calls` is its number of calls then. */
export async function concludeAttempt(
  deps: RetryDeps,
  action: StoredAction,
  { id: attemptId, calls }: { id: string; calls?: number },
  outcome: KnownOutcome,
): Promise<ActionResult> {
  const { account, invoiceId } = action;
  const { kind: name, ...codes } = outcome;
  const now = deps.clock.now();
  const recorded = isUncharged(outcome) ? await listAttemptsOfInvoice(deps.database, account, invoiceId) : [];
  const rereadAt = name === 'not_payable' ? findReread(action, outcome, { recorded, now }) : undefined;
  const own = rereadAt === undefined ? recorded.find(({ id }) => id === attemptId) : undefined;
  const isForwarded = action.cause !== 'backup';
  const message =
    own && isForwarded && isUncharged(outcome) ? toMessage(deps, action, own, outcome) : undefined;
  const isConcluded = await deps.database.transaction(async (tx) => {
    if (calls !== undefined && !(await isAsRead(tx, { id: attemptId, calls }))) return false;
    await finishAttempt(tx, attemptId, { outcome: name, ...codes, message }, now);
    await recordAudit(tx, { account, at: now, invoiceId, kind: `attempt.${name}`, detail: codes });
    if (message) await deps.enqueue('deliver', [{ data: { account }, key: account }], tx);
    if (name === 'paid' || name === 'pending') await planKeeping(deps, tx, action);
    // One email an action, planned with its outcome.
    if (name === 'paid' && action.cause === 'backup')
      await planFollowing(deps, tx, action, { cause: 'charged_backup', kind: 'backup_charged_email' });
    return true;
  });
  if (!isConcluded) return { ...LOST_CLAIM, until: now.plus({ seconds: WITHHELD_SECONDS }) };
  const reason = reasonOf({ outcome: name, ...codes });
  if (name !== 'not_payable') return { state: 'done', reason };
  if (rereadAt === undefined) return { state: 'closed', reason };
  return {
    guard: 'state_conflict',
    reason: { code: 'attempt_refused', ...causeOf(codes) },
    until: rereadAt,
  };
}

type Ended = { readonly [Part in keyof AttemptResult]?: AttemptResult[Part] | null };

/** Reason of an action whose attempt ended. */
export function reasonOf({ outcome, ...codes }: Ended): Reason {
  return { code: 'attempt_ended', outcome: outcome ?? 'unknown', ...causeOf(codes) };
}

function causeOf({ declineCode, code, detail }: Ended) {
  return {
    declineCode: declineCode ?? undefined,
    stripeCode: code ?? undefined,
    detail: declineCode || code ? undefined : (detail ?? undefined),
  };
}

type Uncharged = Extract<KnownOutcome, { kind: 'declined' | 'requires_action' | 'not_payable' }>;

function isUncharged(outcome: KnownOutcome): outcome is Uncharged {
  return 'chargeId' in outcome && 'code' in outcome && outcome.chargeId === undefined;
}

/** Minutes after each refusal of an action. A longer refusal is final. */
const REREAD_AFTER_MINUTES = [2, 15, 60] as const;

/** A refusal may concern a payment under way (stripe-facts 3.7), so the invoice is read again first. Known codes are lasting. */
function findReread(
  action: StoredAction,
  { code, declineCode }: OutcomeCodes,
  { recorded, now }: { recorded: readonly StoredAttempt[]; now: DateTime },
): DateTime | undefined {
  if (findDecline(declineCode) ?? findDecline(code)) return undefined;
  const before = recorded.filter(
    ({ actionId, outcome }) => actionId === action.id && outcome === 'not_payable',
  );
  const minutes = REREAD_AFTER_MINUTES[before.length];
  return minutes === undefined ? undefined : now.plus({ minutes });
}

export function toMessage(
  { config }: Pick<RetryDeps, 'config'>,
  { account, invoiceId, customerId, subscriptionId }: StoredAction,
  attempt: Pick<
    StoredAttempt,
    'id' | 'startedAt' | 'amount' | 'currency' | 'methodType' | 'brand' | 'fingerprint'
  >,
  codes: Omit<OutcomeCodes, 'chargeId' | 'detail'>,
): object | undefined {
  if (!config.forward.transactions || attempt.amount === null || attempt.currency === null) return undefined;
  return toFailedTransaction({
    id: unchargedAttemptId(invoiceId, attempt.id),
    account,
    invoiceId,
    customerId: customerId ?? undefined,
    subscriptionId: subscriptionId ?? undefined,
    amount: attempt.amount,
    currency: attempt.currency,
    at: attempt.startedAt,
    status: 'failed',
    codes,
    method: {
      type: attempt.methodType ?? undefined,
      brand: attempt.brand ?? undefined,
      fingerprint: attempt.fingerprint ?? undefined,
    },
  });
}
