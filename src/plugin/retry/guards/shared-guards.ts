/** Guards of payments and of emails. Pure. */
import type { DateTime } from 'luxon';
import { toIso } from '../../../core/base/clock.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { type Guard, guard } from '../actions/objection.ts';
import type { InvoiceHolds } from '../invoice/invoice-holds.ts';
import type { PayableInvoice } from '../invoice/payable-invoice.ts';
import { isCardChange } from './card-history.ts';

const RECHECK_HOURS = 24;

/** A payment of the invoice is processing; a bank debit takes days. */
export const PROCESSING: Guard<{
  readonly invoice: Pick<PayableInvoice, 'isProcessing'>;
  readonly now: DateTime;
}> = guard(
  'processing',
  ({ invoice, now }) =>
    invoice.isProcessing && {
      until: now.plus({ hours: RECHECK_HOURS }),
      reason: { code: 'processing' },
    },
);

/**
 * Stops charges and emails to a payer with a dispute about any invoice (stripe-facts 5.12). If nothing is owed by its reason, a person
 * decides; other disputes are waited for.
 */
export const PAYER_DISPUTES: Guard<{
  readonly holds: Pick<InvoiceHolds, 'payersDispute'>;
  readonly now: DateTime;
}> = guard('payer_disputes', ({ holds: { payersDispute: dispute }, now }) => {
  if (!dispute) return undefined;
  const reason = { code: 'payer_disputes', disputeId: dispute.id, because: dispute.reason } as const;
  return dispute.asksPerson
    ? { reason, asksPerson: true }
    : { reason, until: now.plus({ hours: RECHECK_HOURS }) };
});

/** A person postponed the invoice. Actions by the customer or a person do not wait. */
export const POSTPONED: Guard<{
  readonly action: Pick<StoredAction, 'cause'>;
  readonly holds: Pick<InvoiceHolds, 'postponed'>;
  readonly now: DateTime;
}> = guard('postponed', ({ action: { cause }, holds: { postponed }, now }) => {
  const until = postponed?.until;
  if (!until || until <= now || cause === 'card_change' || cause === 'operator') return undefined;
  const note = postponed.note ?? undefined;
  return { until, reason: { code: 'postponed_by_person', until: toIso(until), note } };
});

/**
 * The customer subscribed again to the same product, perhaps with this card, and may not want to pay the old period. A person decides, or
 * the customer on the card page.
 */
export const SUBSCRIBED_AGAIN: Guard<{
  readonly action: Pick<StoredAction, 'cause'>;
  readonly invoice: Pick<PayableInvoice, 'successor'>;
  readonly holds: Pick<InvoiceHolds, 'releasedAt' | 'continuedAt'>;
}> = guard('subscribed_again', ({ action, invoice, holds }) => {
  const isAsked = action.cause === 'operator' || action.cause === 'link_renewal';
  const reason = isAsked ? undefined : findNewSubscription(invoice, holds);
  return reason && { reason, asksPerson: true };
});

/** The new subscription, unless somebody has decided about the old invoice since. */
export function findNewSubscription(
  { successor }: Pick<PayableInvoice, 'successor'>,
  { releasedAt, continuedAt }: Pick<InvoiceHolds, 'releasedAt' | 'continuedAt'>,
): Reason | undefined {
  if (!successor) return undefined;
  const { id: subscriptionId, startedAt } = successor;
  const isDecided = [releasedAt, continuedAt].some((at) => at !== undefined && at >= startedAt);
  return isDecided ? undefined : { code: 'subscribed_again', subscriptionId };
}

/** An instruction for a time further away is refused. */
export const HORIZON_DAYS = 60;

/** Actions that waited longer than the horizon, through a pause or downtime, are outdated. */
export const HORIZON: Guard<{
  readonly action: Pick<StoredAction, 'dueAt'>;
  readonly now: DateTime;
}> = guard('horizon', ({ action: { dueAt }, now }) => {
  const days = HORIZON_DAYS;
  return dueAt.plus({ days }) < now && { code: 'past_horizon', dueAt: toIso(dueAt), days };
});

/** Our attempt would collide with Stripe's own within this time (stripe-facts 4.4). */
export const NEAR_STRIPE_HOURS = 1;

/** Applies in `exclusive` mode, too, until the invoice is taken over. */
export const STRIPE_RETRY_NEAR: Guard<{
  readonly invoice: Pick<PayableInvoice, 'nextStripeAttemptAt'>;
  readonly action: Pick<StoredAction, 'cause'>;
  readonly now: DateTime;
}> = guard('stripe_retry_near', ({ invoice: { nextStripeAttemptAt: next }, action, now }) => {
  if (isCardChange(action) || next === undefined) return undefined;
  if (next > now.plus({ hours: NEAR_STRIPE_HOURS })) return undefined;
  const until = (next > now ? next : now).plus({ hours: NEAR_STRIPE_HOURS });
  return { until, reason: { code: 'stripe_tries', at: toIso(next) } };
});
