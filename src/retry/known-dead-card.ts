import type Stripe from 'stripe';
import { listAttemptsOnFingerprint } from '../store/attempts.ts';
import { attemptCodes } from './attempt-codes.ts';
import { classifyDecline } from './decline-classes.ts';
import { methodFacts } from './payable-invoice.ts';
import type { RetryDeps } from './retry-deps.ts';

/** Older attempts say nothing about a card of today. */
const MEMORY_DAYS = 365;

/** Why the last attempt with this payment method says that no other will succeed; undefined if it does not say so. */
export async function findDeadDecline(
  { database, clock }: Pick<RetryDeps, 'database' | 'clock'>,
  account: string,
  method: Stripe.PaymentMethod,
): Promise<string | undefined> {
  const { fingerprint } = methodFacts(method);
  if (fingerprint === undefined) return undefined;
  const since = clock.now().minus({ days: MEMORY_DAYS });
  const attempts = await listAttemptsOnFingerprint(database, account, fingerprint, since);
  const last = attempts.findLast(
    ({ paymentMethod, outcome }) =>
      paymentMethod === method.id && outcome !== null && outcome !== 'not_executed',
  );
  if (last?.outcome !== 'declined' && last?.outcome !== 'requires_action') return undefined;
  const { class: decline, because } = classifyDecline(attemptCodes(last));
  return decline === 'retryable' || decline === 'wait' ? undefined : because;
}
