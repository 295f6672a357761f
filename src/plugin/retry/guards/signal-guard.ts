import type { DateTime } from 'luxon';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { StoredAttempt } from '../../store/tables/retry/attempts.ts';
import type { WatchedPayment } from '../../store/tables/retry/signals.ts';
import { type Guard, guard } from '../actions/objection.ts';

const LOOK_AGAIN_HOURS = 24;
/** Outcomes without a request to the card. */
const NOT_MADE: ReadonlySet<string | null> = new Set(['not_payable', 'not_executed']);

/**
 * RETRY_SIGNAL=binding: while Stripe watches a payment, instructions wait for `retry_now`, which allows one attempt, and end at `give_up`.
 * New cards and a person's requests are exempt. Pure.
 */
export const SIGNAL_BINDS: Guard<{
  readonly action: Pick<StoredAction, 'cause' | 'invoiceId'>;
  readonly watched?: WatchedPayment | undefined;
  readonly attempts: readonly Pick<StoredAttempt, 'source' | 'invoiceId' | 'startedAt' | 'outcome'>[];
  readonly now: DateTime;
}> = guard('retry_signal', ({ action, watched, attempts, now }) => {
  if (action.cause !== 'instruction' || watched?.status !== 'monitoring') return undefined;
  const { signalAt } = watched;
  const says = (action: string, because: string | null) =>
    ({ code: 'signal_says', action, because: because ?? '' }) as const;
  const said = watched.action ?? 'wait';
  if (said === 'give_up') return says(said, watched.because);
  const isUsed = attempts.some(
    ({ source, invoiceId, startedAt, outcome }) =>
      source === 'ours' &&
      invoiceId === action.invoiceId &&
      signalAt !== null &&
      startedAt >= signalAt &&
      !NOT_MADE.has(outcome),
  );
  // Unknown future recommendations do not bind.
  if (said === 'retry_now' ? !isUsed : said !== 'wait') return undefined;
  const until = now.plus({ hours: LOOK_AGAIN_HOURS });
  return { until, reason: says('wait', isUsed ? null : watched.because) };
});
