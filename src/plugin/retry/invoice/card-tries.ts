/** Attempts with a card at the time of a decision, and whether they are complete when the attempt begins. */

import type { Transaction } from '../../../core/database/database.ts';
import { listAttemptsOnFingerprint, lock, type StoredAttempt } from '../../store/tables/retry/attempts.ts';
import { findOpenWarning, type OpenWarning } from '../../store/tables/sync/card-warnings.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import type { PaymentMethodFacts } from './payable-invoice.ts';

export interface CardTries {
  readonly attempts: readonly StoredAttempt[];
  /** The holder's open fraud report. */
  readonly warning: OpenWarning | undefined;
  /**
   * Whether another attempt with the card has begun since. Blocks others until the transaction ends: customers may share a card, and
   * processes do not know each other's decisions (stripe-facts 5.10).
   */
  isOutdated(tx: Transaction): Promise<boolean>;
}

const LIMIT_WINDOW_DAYS = 30;

/** Reads the card's attempts; a card without a fingerprint has none of its own. */
export async function listCardTries(
  { database, clock }: Pick<RetryDeps, 'database' | 'clock'>,
  account: string,
  card: Partial<PaymentMethodFacts>,
): Promise<CardTries> {
  const { fingerprint } = card;
  const warning = await findOpenWarning(database, account, card);
  if (fingerprint === undefined) return { attempts: [], warning, isOutdated: async () => false };
  const since = clock.now().minus({ days: LIMIT_WINDOW_DAYS });
  const attempts = await listAttemptsOnFingerprint(database, account, fingerprint, since);
  const seen = new Set(attempts.map(({ id }) => id));
  return {
    attempts,
    warning,
    isOutdated: async (tx) => {
      await lock(tx, account, `card ${fingerprint}`);
      if ((await findOpenWarning(tx, account, card))?.id !== warning?.id) return true;
      const present = await listAttemptsOnFingerprint(tx, account, fingerprint, since);
      return present.some(({ id }) => !seen.has(id));
    },
  };
}

/** Completes a method that Stripe shows by id only from its attempts on the invoice. */
export function withKnownDetails<Method extends PaymentMethodFacts>(
  method: Method | undefined,
  attempts: readonly StoredAttempt[],
): Method | undefined {
  if (!method || (method.type !== undefined && method.fingerprint !== undefined)) return method;
  const known = attempts.findLast((one) => one.paymentMethod === method.id && one.methodType !== null);
  if (!known) return method;
  const { methodType, fingerprint } = known;
  return {
    ...method,
    type: method.type ?? methodType ?? undefined,
    fingerprint: method.fingerprint ?? fingerprint ?? undefined,
  };
}

const NOT_MADE: ReadonlySet<string | null> = new Set(['not_executed', 'not_payable']);

/** Attempts on the invoice and with the card, oldest first, without the open one. */
export function listRelevantAttempts(
  attempts: readonly StoredAttempt[],
  open?: StoredAttempt,
): StoredAttempt[] {
  return [...new Map(attempts.map((attempt) => [attempt.id, attempt])).values()]
    .filter((attempt) => attempt.id !== open?.id && !NOT_MADE.has(attempt.outcome))
    .sort((left, right) => left.startedAt.toMillis() - right.startedAt.toMillis());
}
