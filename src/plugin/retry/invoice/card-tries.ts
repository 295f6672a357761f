/** What was tried with a card by the time of a decision, and whether that is still all when the attempt begins. */

import type { Transaction } from '../../../core/database/database.ts';
import {
  listAttemptsOnFingerprint,
  lockCard,
  type StoredAttempt,
} from '../../store/tables/retry/attempts.ts';
import { findOpenWarning, type OpenWarning } from '../../store/tables/sync/card-warnings.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import type { PaymentMethodFacts } from './payable-invoice.ts';

export interface CardTries {
  readonly attempts: readonly StoredAttempt[];
  /** What its holder said against a payment, where that is not settled. */
  readonly warning: OpenWarning | undefined;
  /**
   * Whether somebody has begun another attempt with the card since. Until the transaction ends nobody else can: customers
   * may share a card, and one process does not know what another decides (stripe-facts 5.10).
   */
  isOutdated(tx: Transaction): Promise<boolean>;
}

const LIMIT_WINDOW_DAYS = 30;

/** Without a fingerprint the card cannot be distinguished from others. */
export async function listCardTries(
  { database, clock }: Pick<RetryDeps, 'database' | 'clock'>,
  account: string,
  card: { readonly fingerprint: string | undefined; readonly id: string | undefined },
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
      await lockCard(tx, account, fingerprint);
      if ((await findOpenWarning(tx, account, card))?.id !== warning?.id) return true;
      const present = await listAttemptsOnFingerprint(tx, account, fingerprint, since);
      return present.some(({ id }) => !seen.has(id));
    },
  };
}

/** Where Stripe shows no more of a method than its id, what its attempts on the invoice show of it. */
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

/** Those on the invoice and those with the card, oldest first, without the one whose outcome is sought. */
export function listRelevantAttempts(
  attempts: readonly StoredAttempt[],
  open?: StoredAttempt,
): StoredAttempt[] {
  return [...new Map(attempts.map((attempt) => [attempt.id, attempt])).values()]
    .filter((attempt) => attempt.id !== open?.id && !NOT_MADE.has(attempt.outcome))
    .sort((left, right) => left.startedAt.toMillis() - right.startedAt.toMillis());
}
