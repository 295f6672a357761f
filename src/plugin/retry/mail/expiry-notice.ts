/** Emails customers once before a renewal whose card expires, or that has no method left, if the merchant wants it. */
import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import { idOf } from '../../clients/chosen-methods.ts';
import { customerIdOf, ownerIdsOf } from '../../clients/customer-reference.ts';
import { expiryOf } from '../../clients/method-identity.ts';
import type { RenewalAction } from '../../store/tables/retry/actions.ts';
import { findHold } from '../../store/tables/retry/holds.ts';
import { findLostMethod, forgetLostMethod } from '../../store/tables/sync/subscriptions.ts';
import type { ActionResult } from '../actions/action-result.ts';
import type { Objection } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { findObservation, observedEmail } from '../invoice/observation.ts';
import { openCardPage } from './card-update-link.ts';
import { deliver } from './send-customer-email.ts';

const RENEWING: ReadonlySet<string> = new Set(['active', 'trialing']);

/** Sends the notice if the next renewal still has no good card or no method. */
export async function sendExpiryNotice(deps: RetryDeps, action: RenewalAction): Promise<ActionResult> {
  const { account, subscriptionId } = action;
  const subscription = await deps.stripe.findSubscription(account, subscriptionId);
  if (!subscription) return { guard: 'subscription', reason: { code: 'no_renewal', subscriptionId } };
  const renewsAt = findRenewal(subscription);
  const obstacle = findObstacle(subscription, renewsAt);
  if (obstacle || !renewsAt)
    return obstacle ?? { guard: 'subscription', reason: { code: 'no_renewal', subscriptionId } };
  const customerId = customerIdOf(subscription) ?? '';
  const hold = await findHold(deps.database, { account, invoiceId: subscriptionId, customerId });
  if (hold) return { guard: 'stopped', reason: { code: 'stopped_by_person', note: hold.reason } };
  const customer = await deps.stripe.findCustomer(account, customerId);
  const method = await findRenewalMethod(deps, account, { subscription, customer });
  const finding = judgeMethod(method, subscription, renewsAt);
  if (!('template' in finding)) {
    if (method !== 'none') await forgetLostMethod(deps.database, account, subscriptionId);
    return finding;
  }
  const { template, card } = finding;
  if (!customer?.email) return { guard: 'recipient', reason: { code: 'no_address', customerId } };
  const page = openCardPage(deps, customer, { account, customerId, invoiceId: null, subscriptionId });
  if ('guard' in page) return page;
  const scoped = {
    customerId,
    customer,
    currency: subscription.currency,
    ...readScoped(subscription, customer),
  };
  const setting = findObservation(deps.config, account, scoped);
  if (setting !== undefined) return observedEmail(template, setting);
  return deliver(deps, action, {
    template,
    invoice: { customer, amountRemaining: 0, currency: subscription.currency },
    ...page,
    cards: card === undefined ? {} : { card },
  });
}

/** Earliest end of a period (stripe-facts 2.2). */
function findRenewal({ items }: Stripe.Subscription): DateTime | undefined {
  const ends = items.data.map(({ current_period_end: end }) => end);
  return ends.length === 0 ? undefined : fromUnixSeconds(Math.min(...ends));
}

function findObstacle(
  subscription: Stripe.Subscription,
  renewsAt: DateTime | undefined,
): Objection | undefined {
  const { id, status, collection_method, pause_collection, cancel_at_period_end, cancel_at } = subscription;
  const isEnding =
    cancel_at_period_end || (cancel_at !== null && renewsAt && fromUnixSeconds(cancel_at) <= renewsAt);
  if (!RENEWING.has(status))
    return { guard: 'subscription', reason: { code: 'subscription_status', subscriptionId: id, status } };
  if (isEnding) return { guard: 'subscription', reason: { code: 'no_renewal', subscriptionId: id } };
  if (collection_method !== 'charge_automatically')
    return { guard: 'collection_method', reason: { code: 'sent_to_customer' } };
  return pause_collection
    ? { guard: 'pause_collection', reason: { code: 'collection_paused', subscriptionId: id } }
    : undefined;
}

/** The method of the renewal (stripe-facts 3.6); `source`: one from before payment methods. */
type RenewalMethod = Stripe.PaymentMethod | 'source' | 'none';

async function findRenewalMethod(
  deps: RetryDeps,
  account: string,
  { subscription, customer }: { subscription: Stripe.Subscription; customer: Stripe.Customer | undefined },
): Promise<RenewalMethod> {
  const lost = await findLostMethod(deps.database, account, subscription.id);
  const settings = customer?.invoice_settings;
  for (const method of [subscription.default_payment_method, settings?.default_payment_method]) {
    const id = idOf(method);
    const found = id === undefined ? undefined : await deps.stripe.findPaymentMethod(account, id);
    // Stripe skips a detached method, but not one whose mandate ended.
    if (found && ownerIdsOf(found).length > 0) return found.id === lost ? 'none' : found;
    if (method === subscription.default_payment_method && subscription.default_source) return 'source';
  }
  return customer?.default_source ? 'source' : 'none';
}

type Finding = { template: 'expiring_card' | 'missing_method'; card?: string } | ActionResult;

function judgeMethod(
  method: RenewalMethod,
  { id: subscriptionId, status, trial_settings: trial }: Stripe.Subscription,
  renewsAt: DateTime,
): Finding {
  if (method === 'none') {
    // A trial offered without a method ends without a failure (stripe-facts 2.9).
    const isOffered = trial && trial.end_behavior.missing_payment_method !== 'create_invoice';
    return status === 'trialing' && isOffered
      ? { guard: 'subscription', reason: { code: 'no_renewal', subscriptionId } }
      : { template: 'missing_method' };
  }
  const expiry = method === 'source' ? undefined : expiryOf(method);
  if (method === 'source' || !method.card || expiry === undefined)
    return { guard: 'payment_method', reason: { code: 'no_card', subscriptionId } };
  // A renewed card has a later date (stripe-facts 6.5).
  const isGood = DateTime.fromISO(expiry, { zone: 'utc' }).endOf('month') >= renewsAt;
  if (isGood) return { state: 'done', reason: { code: 'card_is_good', expiry } };
  return { template: 'expiring_card', card: method.card.last4 };
}

function readScoped({ items, metadata }: Stripe.Subscription, customer: Stripe.Customer) {
  const plans = items.data.flatMap(({ price }) => [price.id, idOf(price.product)]);
  return { plans: plans.filter((id) => id !== undefined), metadata: [metadata, customer.metadata] };
}
