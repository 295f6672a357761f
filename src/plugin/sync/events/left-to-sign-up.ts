import type Stripe from 'stripe';
import { isSignUp } from '../../../core/contract/sign-up.ts';
import { subscriptionIdOf } from '../../clients/chosen-methods.ts';
import { findSubscriptionStatus } from '../../store/tables/sync/subscriptions.ts';
import type { PlanDeps, SyncDeps } from './event-step.ts';

/**
 * Whether an invoice belongs to a checkout, so that the service does not get it. A started subscription never goes back, so a stored
 * status can say no; before a yes the subscription is read, since the status may be old or missing. `unknown` without Stripe.
 */
export function isLeftToSignUp(
  deps: Pick<SyncDeps, Used>,
  account: string,
  invoice: Stripe.Invoice,
): Promise<boolean>;
export function isLeftToSignUp(
  deps: Pick<PlanDeps, Used>,
  account: string,
  invoice: Stripe.Invoice,
): Promise<boolean | 'unknown'>;
export async function isLeftToSignUp(
  { config, database, stripe }: Pick<PlanDeps, Used>,
  account: string,
  { status, billing_reason: reason, parent }: Stripe.Invoice,
): Promise<boolean | 'unknown'> {
  const subscriptionId = subscriptionIdOf({ parent });
  const isUnpaid = status === 'open' || status === 'uncollectible';
  if (config.recoverSignUps || subscriptionId === undefined || !isUnpaid) return false;
  if (!isSignUp(reason, 'incomplete')) return false;
  const stored = await findSubscriptionStatus(database, account, subscriptionId);
  if (stored !== undefined && stored !== 'incomplete') return isSignUp(reason, stored);
  if (!stripe) return 'unknown';
  const subscription = await stripe.findSubscription(account, subscriptionId);
  return isSignUp(reason, subscription?.status);
}

type Used = 'config' | 'database' | 'stripe';
