/** The way back (AFTER_END): a subscription that was lost to an invoice goes on once the invoice is paid. */
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { expanded, idOf, livingCustomerOf, subscriptionOf } from '../../clients/chosen-methods.ts';
import { ownedBy, ownerIdsOf } from '../../clients/customer-reference.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { ActionExecutor, ActionResult } from '../actions/action-result.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { createFacts } from '../guards/facts.ts';
import { findPersonsStop, type InvoiceHolds } from '../invoice/invoice-holds.ts';
import { findObservation } from '../invoice/observation.ts';
import { type PayableInvoice, readPayableInvoice } from '../invoice/payable-invoice.ts';

/** Paused, or resumed by an earlier run or by Stripe with the payment (stripe-facts 2.8). */
const GOES_ON: ReadonlySet<string> = new Set(['active', 'trialing', 'paused']);

/** Metadata of a new subscription: the ended one. An interrupted run finds it, also after Stripe has forgotten the idempotency key. */
const RESUMED_FROM = 'resumed_from';

interface Lost {
  readonly found: Stripe.Invoice;
  readonly invoice: PayableInvoice;
  readonly old: Stripe.Subscription;
}

/**
 * Resumes a paused subscription, and starts a canceled one again if the customer continued from the page that announces it. The
 * current state decides, so an interrupted run starts over.
 */
export const resumeSubscription: ActionExecutor = async (deps, action) => {
  const { account, invoiceId } = action;
  const found = await deps.stripe.findPayableInvoice(account, invoiceId);
  const old = found && subscriptionOf(found);
  if (!found || !old) return { guard: 'subscription', reason: { code: 'no_subscription' } };
  const invoice = readPayableInvoice(found);
  const isMade = (one: Stripe.Subscription) => one.metadata[RESUMED_FROM] === old.id;
  const made = livingCustomerOf(found)?.subscriptions?.data.find(isMade);
  if (made) return conclude(invoice, old, made);
  const holds = await createFacts(deps, account, invoice).holds();
  const reason = findReason({ invoice, old, holds, setting: findObservation(deps.config, account, invoice) });
  if (reason) return { state: 'done', reason };
  if (old.status === 'canceled') return startAgain(deps, action, { found, invoice, old });
  const isWhole = old.status === 'paused';
  if (!isWhole && old.pause_collection === null) return conclude(invoice, old, old);
  const key = `resume:${action.id}`;
  return conclude(invoice, old, await deps.stripe.resumeSubscription(account, old.id, { isWhole, key }));
};

/** Why it does not go on. */
function findReason({
  invoice: { status, subscription, successor },
  old,
  holds,
  setting,
}: Omit<Lost, 'found'> & { readonly holds: InvoiceHolds; readonly setting: string | undefined }):
  | Reason
  | undefined {
  const stop = findPersonsStop(holds);
  if (stop) return stop;
  if (status !== 'paid') return { code: 'invoice_status', status };
  if (setting !== undefined) return { code: 'outside_scope', setting };
  if (holds.isForgotten) return { code: 'customer_forgotten' };
  const { id: subscriptionId, status: now } = old;
  if (now !== 'canceled')
    return GOES_ON.has(now) ? undefined : { code: 'subscription_status', subscriptionId, status: now };
  const [askedAt, endedAt] = [holds.continuedAt, subscription?.endedAt];
  if (!askedAt || !endedAt || askedAt < endedAt) return { code: 'not_resumed', because: 'not_asked_for' };
  return successor && { code: 'subscribed_again', subscriptionId: successor.id };
}

async function startAgain(
  deps: RetryDeps,
  { account, id }: StoredAction,
  { found, invoice, old: { id: subscriptionId } }: Lost,
): Promise<ActionResult> {
  const old = await deps.stripe.findWithDiscounts(account, subscriptionId);
  if (!old || old.items.has_more)
    return { guard: 'subscription', reason: { code: 'not_resumed', because: 'too_many_items' } };
  const paid = (found.payments?.data ?? []).find((payment) => payment.status === 'paid');
  const used = idOf(expanded(paid?.payment.payment_intent)?.payment_method);
  const method = used === undefined ? undefined : await deps.stripe.findPaymentMethod(account, used);
  // A card that was not saved cannot be charged again.
  const isSaved = method && ownerIdsOf(method).includes(invoice.customerId);
  const again = describeAgain(old, { now: deps.clock.now(), paymentMethod: isSaved ? method.id : undefined });
  const params = { ...ownedBy(invoice.customerId), ...again };
  return conclude(invoice, old, await deps.stripe.createSubscription(account, params, `again:${id}`));
}

/** `answer`: the subscription that goes on, or the code of a refusal. */
function conclude(
  { customerId: customer }: PayableInvoice,
  { id: previous }: Stripe.Subscription,
  answer: Stripe.Subscription | string,
): ActionResult {
  if (typeof answer === 'string')
    return { guard: 'stripe', reason: { code: 'not_resumed', because: answer } };
  const detail = { customer, subscription: answer.id, previous };
  return {
    state: 'done',
    reason: { code: 'subscription_status', subscriptionId: answer.id, status: answer.status },
    audit: { kind: 'subscription.resumed', detail },
  };
}

/** The same items, quantities and discounts that still exist. The paid period counts: the next one is billed at its end. Pure. */
export function describeAgain(
  old: Stripe.Subscription,
  { now, paymentMethod }: { readonly now: DateTime; readonly paymentMethod: string | undefined },
): Omit<Stripe.SubscriptionCreateParams, 'customer' | 'customer_account'> {
  const { items, description, metadata, automatic_tax, default_tax_rates, on_behalf_of } = old;
  const seconds = now.toSeconds();
  const paidUntil = Math.min(...items.data.map((item) => item.current_period_end));
  const discounts = listDiscounts(old.discounts, seconds);
  const sellerId = idOf(on_behalf_of);
  return {
    items: items.data.map((item) => {
      const own = listDiscounts(item.discounts, seconds);
      return {
        price: item.price.id,
        ...(item.quantity === undefined ? {} : { quantity: item.quantity }),
        ...(own.length > 0 ? { discounts: own } : {}),
        metadata: item.metadata,
      };
    }),
    metadata: { ...metadata, [RESUMED_FROM]: old.id },
    ...(description === null ? {} : { description }),
    ...(discounts.length > 0 ? { discounts } : {}),
    ...(default_tax_rates?.length ? { default_tax_rates: default_tax_rates.map(({ id }) => id) } : {}),
    ...(automatic_tax.enabled ? { automatic_tax: { enabled: true } } : {}),
    ...(sellerId === undefined ? {} : { on_behalf_of: sellerId }),
    ...(paymentMethod === undefined ? {} : { default_payment_method: paymentMethod }),
    ...(paidUntil > seconds ? { billing_cycle_anchor: paidUntil, proration_behavior: 'none' } : {}),
    // A declined first payment creates nothing.
    payment_behavior: 'error_if_incomplete',
    off_session: true,
  };
}

/** Coupons that still count; a coupon for one invoice is used up. */
function listDiscounts(
  discounts: readonly (string | Stripe.Discount)[],
  seconds: number,
): { coupon: string }[] {
  return discounts.flatMap((discount) => {
    const { source, end } = expanded(discount) ?? {};
    const coupon = source?.coupon;
    const isOver = typeof end === 'number' && end <= seconds;
    const isGone = expanded(coupon)?.valid === false || expanded(coupon)?.duration === 'once';
    const id = idOf(coupon);
    return id === undefined || isOver || isGone ? [] : [{ coupon: id }];
  });
}
