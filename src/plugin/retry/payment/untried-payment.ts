/** Reports untried payments that the service requested. */
import { NOT_MADE } from '../../../core/contract/contract-extensions.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { finishAttempt, insertAttempt, type StoredAttempt } from '../../store/tables/retry/attempts.ts';
import type { Objection, Untried } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import type { PayableInvoice } from '../invoice/payable-invoice.ts';
import { createAttempt } from './carry-out-attempt.ts';
import { toMessage } from './conclude-attempt.ts';

export interface Stopped {
  readonly invoice: PayableInvoice;
  readonly recorded: readonly StoredAttempt[];
  readonly objection: Objection;
}

/** Records an attempt that Stripe was not asked to make, so that the service asks for a card. Once an action. */
export async function reportStopped(deps: RetryDeps, action: StoredAction, stopped: Stopped): Promise<void> {
  const { invoice, recorded, objection } = stopped;
  const code = objection.follows?.untried;
  if (code === undefined) return reportEnded(deps, action, stopped);
  if (recorded.some((known) => known.actionId === action.id && known.code === code)) return;
  await recordNotMade(deps, action, { invoice, outcome: 'not_payable', code });
}

/** Tells a capable service why its request ended; it counts as no attempt. */
async function reportEnded(
  deps: RetryDeps,
  action: StoredAction,
  { invoice, recorded, objection }: Stopped,
): Promise<void> {
  const { requestId } = action;
  const isForGood = objection.until === undefined && !objection.asksPerson;
  if (!isForGood || requestId === null) return;
  if (!(await deps.serviceCan(action.account, 'extended_records'))) return;
  const isReported = ({ actionId, outcome, calls }: StoredAttempt) =>
    actionId === action.id && outcome === 'not_executed' && calls === 0;
  if (recorded.some(isReported)) return;
  const ended = { state: NOT_MADE, endedRequestId: requestId, endedReason: objection.reason.code };
  await recordNotMade(deps, action, { invoice, outcome: 'not_executed', ended });
}

interface NotMade {
  readonly invoice: PayableInvoice;
  readonly outcome: string;
  readonly code?: Untried;
  /** Fields of the record that replace those of a failure. */
  readonly ended?: object;
}

async function recordNotMade(
  deps: RetryDeps,
  action: StoredAction,
  { invoice, outcome, code, ended }: NotMade,
): Promise<void> {
  const { account } = action;
  const made = await createAttempt(deps, action, { invoice, method: undefined });
  const attempt = ended ? { ...made, attemptNumber: null } : made;
  const none = { methodType: null, brand: null, fingerprint: null };
  const codes = { ...NO_CODES, code };
  const failed = toMessage(deps, action, { ...attempt, ...none }, codes);
  const message = failed && { ...failed, ...ended };
  await deps.database.transaction(async (tx) => {
    await insertAttempt(tx, attempt);
    await finishAttempt(tx, attempt.id, { ...codes, outcome, message }, attempt.startedAt);
    if (message) await deps.enqueue('deliver', [{ data: { account }, key: account }], tx);
  });
}

const NO_CODES = {
  declineCode: undefined,
  adviceCode: undefined,
  networkCode: undefined,
  networkAdvice: undefined,
};
