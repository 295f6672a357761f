/**
 * Whether an invoice may be collected at all, by us or by Stripe. Payments, emails, the card-update page, new cards and the return to
 * Stripe's retries share this list, so that no customer is asked for money that would not be charged. Timing and cards are not
 * checked here. Pure.
 */

import { isAccount } from '../../clients/customer-reference.ts';
import type { Reason } from '../../reasons/reason.ts';
import { type Follows, findObjection, type Guard, type Objection } from '../actions/objection.ts';
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

export const DISPUTED: Guard<Pick<CollectionFacts, 'holds'>> = {
  name: 'disputed',
  check: ({ holds }) => (holds.isDisputed ? stop({ code: 'disputed' }, { bindsStripe: true }) : undefined),
};

export const AMOUNT_REMAINING: Guard<Pick<CollectionFacts, 'invoice'>> = {
  name: 'amount_remaining',
  check: ({ invoice }) => (invoice.amountRemaining > 0 ? undefined : stop({ code: 'nothing_remaining' })),
};

/** The first objection decides. */
export const COLLECTION_GUARDS: readonly Guard<CollectionFacts>[] = [
  {
    name: 'forgotten',
    check: ({ holds }) =>
      holds.isForgotten ? stop({ code: 'customer_forgotten' }, { bindsStripe: true }) : undefined,
  },
  {
    name: 'stopped',
    check: ({ holds }) => {
      const reason = findPersonsStop(holds);
      if (reason !== undefined) return stop(reason, { bindsStripe: true, forNewCard: { asksPerson: true } });
      return holds.isStoppedByService
        ? stop({ code: 'stopped_by_service' }, { bindsStripe: true })
        : undefined;
    },
  },
  {
    name: 'status',
    check: ({ invoice: { status, writtenOff }, holds }) => {
      if (!PAYABLE.has(status)) return stop({ code: 'invoice_status', status });
      if (writtenOff === undefined || wasReleasedSince(holds, writtenOff.at)) return undefined;
      return stop({ code: 'written_off', stripeReason: writtenOff.reason });
    },
  },
  DISPUTED,
  AMOUNT_REMAINING,
  {
    name: 'collection_method',
    check: ({ invoice }) =>
      invoice.collectionMethod === 'charge_automatically' ? undefined : stop({ code: 'sent_to_customer' }),
  },
  {
    name: 'customer',
    check: ({ invoice: { customer, customerId } }) => {
      if (customer) return undefined;
      return stop(
        isAccount(customerId)
          ? { code: 'customer_hidden', account: customerId }
          : { code: 'customer_deleted' },
      );
    },
  },
  {
    name: 'subscription',
    check: ({ invoice: { subscription }, holds }) => {
      const hasEnded = subscription !== undefined && ENDED.has(subscription.status);
      if (!hasEnded || wasReleasedSince(holds, subscription.endedAt)) return undefined;
      return stop({
        code: 'subscription_status',
        subscriptionId: subscription.id,
        status: subscription.status,
      });
    },
  },
  {
    name: 'sign_up',
    check: ({ invoice, recoverSignUps }) => {
      const reason = findSignUpReason(invoice, { recoverSignUps });
      return reason && stop(reason);
    },
  },
  {
    name: 'pause_collection',
    check: ({ invoice: { subscription }, now }) => {
      if (!subscription?.isPaused) return undefined;
      const { id: subscriptionId, resumesAt } = subscription;
      const again = resumesAt && resumesAt > now ? resumesAt : now.plus({ hours: LOOK_AGAIN_HOURS });
      const until = resumesAt?.toUTC().toISO() ?? undefined;
      return stop({ code: 'collection_paused', subscriptionId, until }, { forNewCard: { until: again } });
    },
  },
  CANCEL_STOPS,
];

export function findCollectionObjection(facts: CollectionFacts): Objection | undefined {
  return findObjection(COLLECTION_GUARDS, facts);
}

function stop(reason: Reason, follows?: Follows) {
  return { reason, follows };
}
