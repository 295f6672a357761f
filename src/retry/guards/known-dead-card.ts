import type Stripe from 'stripe';
import type { Objection } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { listCardTries } from '../invoice/card-tries.ts';
import { readHolds } from '../invoice/invoice-holds.ts';
import { methodFacts } from '../invoice/payable-invoice.ts';
import { listBindingDeclines } from './card-history.ts';
import { FRAUD_REPORTED, findFraudReport } from './fraud-report.ts';

/** Why the guards would stop a payment of the invoice with this card for good; undefined if they would not. */
export async function findDeadCard(
  deps: Pick<RetryDeps, 'database' | 'clock'>,
  account: string,
  { invoice, method }: { invoice: Stripe.Invoice; method: Stripe.PaymentMethod },
): Promise<Objection | undefined> {
  const facts = methodFacts(method);
  const { attempts, warning } = await listCardTries(deps, account, facts);
  const holds = await readHolds(deps.database, account, invoice.id);
  const report = findFraudReport(warning, holds);
  if (report) return { guard: FRAUD_REPORTED, reason: { ...report, paymentMethod: method.id } };
  const now = deps.clock.now();
  const action = { cause: 'card_change' as const, createdAt: now.toJSDate() };
  const decline = listBindingDeclines({ now, action, invoice, method: facts, attempts, holds }).findLast(
    ({ class: known }) => known !== 'retryable' && known !== 'wait',
  );
  if (!decline) return undefined;
  const { because } = decline;
  return {
    guard: 'hard_decline',
    reason: { code: 'chosen_card_declined', paymentMethod: method.id, because },
  };
}
