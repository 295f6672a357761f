/** A payment that was asked for while there was no card to charge. */
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { finishAttempt, insertAttempt, type StoredAttempt } from '../../store/tables/retry/attempts.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { createAttempt } from './carry-out-attempt.ts';
import { toMessage } from './conclude-attempt.ts';
import type { PayableInvoice } from './payable-invoice.ts';

/** Why not: a code of ours for the service, and words for people. */
export interface Untried {
  readonly code: string;
  readonly detail: string;
}

/**
 * Recorded as an attempt that Stripe was not asked to make, so that the service hears what its instruction came to and
 * asks for a card. Once for an action.
 */
export async function recordUntried(
  deps: RetryDeps,
  action: StoredAction,
  {
    invoice,
    recorded,
    untried,
  }: { invoice: PayableInvoice; recorded: readonly StoredAttempt[]; untried: Untried },
): Promise<void> {
  const { account, id: actionId } = action;
  const { code, detail } = untried;
  if (recorded.some((known) => known.actionId === actionId && known.code === code)) return;
  const attempt = await createAttempt(deps, action, { invoice, method: undefined });
  const startedAt = attempt.startedAt.toJSDate();
  const none = { methodType: null, brand: null, fingerprint: null };
  const codes = { ...NO_CODES, code };
  const message = toMessage(deps, action, { ...attempt, ...none, startedAt }, codes);
  const result = { ...codes, outcome: 'not_payable', detail, message };
  await deps.database.transaction(async (tx) => {
    await insertAttempt(tx, attempt);
    await finishAttempt(tx, attempt.id, result, attempt.startedAt);
    if (message) await deps.enqueue('deliver', [{ data: { account }, key: account }], tx);
  });
}

const NO_CODES = {
  declineCode: undefined,
  adviceCode: undefined,
  networkCode: undefined,
  networkAdvice: undefined,
};
