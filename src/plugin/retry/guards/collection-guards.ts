/**
 * Whether an invoice may be collected at all, by us or by Stripe. Payments, emails, the card-update page, new cards and the return to
 * Stripe's retries share this list, so that no customer is asked for money that would not be charged. Timing and cards are not
 * checked here. Pure.
 */

import { isAccount } from '../../clients/customer-reference.ts';
import type { Reason } from '../../reasons/reason.ts';
import { type Follows, findObjection, type Guard, guard, type Objection } from '../actions/objection.ts';
import { findPersonsStop, type InvoiceHolds, wasReleasedSince } from '../invoice/invoice-holds.ts';
import { findSignUpReason, type PayableInvoice } from '../invoice/payable-invoice.ts';
import { CANCEL_STOPS, type CancelRequestFacts } from './cancel-request.ts';

export interface CollectionFacts extends CancelRequestFacts {
  readonly invoice: PayableInvoice;
  readonly holds: InvoiceHolds;
  readonly recoverSignUps: boolean;
}

/**
 * Uncollectible invoices can be paid (stripe-facts 3.1). Their status ended earlier plans; later requests are followed, unless the
 * money was written off: then a person must release the invoice first.
 */
const PAYABLE: ReadonlySet<string> = new Set(['open', 'uncollectible']);
/** Recheck of a pause without an end. */
const LOOK_AGAIN_HOURS = 12;
const ENDED: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);

export const DISPUTED: Guard<Pick<CollectionFacts, 'holds'>> = guard(
  'disputed',
  ({ holds }) => holds.isDisputed && stop({ code: 'disputed' }, { bindsStripe: true }),
);

export const AMOUNT_REMAINING: Guard<Pick<CollectionFacts, 'invoice'>> = guard(
  'amount_remaining',
  ({ invoice }) => invoice.amountRemaining <= 0 && { code: 'nothing_remaining' },
);

/** The first objection decides. */
export const COLLECTION_GUARDS: readonly Guard<CollectionFacts>[] = [
  guard(
    'forgotten',
    ({ holds }) => holds.isForgotten && stop({ code: 'customer_forgotten' }, { bindsStripe: true }),
  ),
  guard('stopped', ({ holds }) => {
    const reason = findPersonsStop(holds);
    if (reason !== undefined) return stop(reason, { bindsStripe: true, forNewCard: { asksPerson: true } });
    return holds.isStoppedByService && stop({ code: 'stopped_by_service' }, { bindsStripe: true });
  }),
  guard('status', ({ invoice: { status, writtenOff }, holds }) => {
    if (!PAYABLE.has(status)) return { code: 'invoice_status', status };
    if (writtenOff === undefined || wasReleasedSince(holds, writtenOff.at)) return undefined;
    return { code: 'written_off', stripeReason: writtenOff.reason };
  }),
  DISPUTED,
  AMOUNT_REMAINING,
  guard(
    'collection_method',
    ({ invoice }) => invoice.collectionMethod !== 'charge_automatically' && { code: 'sent_to_customer' },
  ),
  guard('customer', ({ invoice: { customer, customerId } }) => {
    if (customer) return undefined;
    return isAccount(customerId)
      ? { code: 'customer_hidden', account: customerId }
      : { code: 'customer_deleted' };
  }),
  guard('subscription', ({ invoice: { subscription }, holds }) => {
    const hasEnded = subscription !== undefined && ENDED.has(subscription.status);
    if (!hasEnded || wasReleasedSince(holds, subscription.endedAt)) return undefined;
    return { code: 'subscription_status', subscriptionId: subscription.id, status: subscription.status };
  }),
  guard('sign_up', ({ invoice, ...rules }) => findSignUpReason(invoice, rules)),
  guard('pause_collection', ({ invoice: { subscription }, now }) => {
    if (!subscription?.isPaused) return undefined;
    const { id: subscriptionId, resumesAt } = subscription;
    const again = resumesAt && resumesAt > now ? resumesAt : now.plus({ hours: LOOK_AGAIN_HOURS });
    const until = resumesAt?.toUTC().toISO() ?? undefined;
    return stop({ code: 'collection_paused', subscriptionId, until }, { forNewCard: { until: again } });
  }),
  CANCEL_STOPS,
];

export function findCollectionObjection(facts: CollectionFacts): Objection | undefined {
  return findObjection(COLLECTION_GUARDS, facts);
}

function stop(reason: Reason, follows: Follows) {
  return { reason, follows };
}
