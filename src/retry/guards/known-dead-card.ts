import type Stripe from 'stripe';
import { CARD_CHANGE_ORIGIN } from '../../contract/action-origin.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { lookAtCard } from '../payment/card-look.ts';
import { methodFacts } from '../payment/payable-invoice.ts';
import { listBindingDeclines } from './card-history.ts';
import { readFinalSay } from './final-say.ts';

/** The latest decline by which the guards would stop a payment of the invoice with this method; undefined if there is none. */
export async function findDeadDecline(
  deps: Pick<RetryDeps, 'database' | 'clock'>,
  account: string,
  { invoice, method }: { invoice: Stripe.Invoice; method: Stripe.PaymentMethod },
): Promise<string | undefined> {
  const facts = methodFacts(method);
  const { attempts } = await lookAtCard(deps, account, facts.fingerprint);
  const say = await readFinalSay(deps.database, account, invoice.id);
  const now = deps.clock.now();
  const action = { origin: CARD_CHANGE_ORIGIN, createdAt: now.toJSDate() };
  return listBindingDeclines({ now, action, invoice, method: facts, attempts, say }).findLast(
    ({ class: decline }) => decline !== 'retryable' && decline !== 'wait',
  )?.because;
}
