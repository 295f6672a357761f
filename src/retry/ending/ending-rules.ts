/** May what AFTER_GIVING_UP says be done now? The first rule that objects decides. Pure. */
import type { DateTime } from 'luxon';
import type { AfterGivingUp } from '../../config/giving-up.ts';
import type { Reason } from '../../store/reasons/reason.ts';
import { findObjection, type Guard, type Objection } from '../actions/objection.ts';
import { findCancelRequest } from '../guards/cancel-request.ts';
import { AMOUNT_REMAINING, DISPUTED } from '../guards/collection-guards.ts';
import { PROCESSING } from '../guards/shared-guards.ts';
import { findPersonsStop, type InvoiceHolds } from '../invoice/invoice-holds.ts';
import type { PayableInvoice } from '../invoice/payable-invoice.ts';

export type Ending = Exclude<AfterGivingUp, 'leave'>;

export interface EndingFacts {
  readonly now: DateTime;
  readonly choice: Ending;
  readonly invoice: PayableInvoice;
  /** Stripe's own collection of the invoice is on. */
  readonly isStripeCollecting: boolean;
  readonly holds: InvoiceHolds;
  /** Why the action was stopped; undefined if it was not. */
  readonly stopReason: Reason | undefined;
  /** A payment of the invoice is planned, or the outcome of one, or of one of the newer invoice, is not known yet. */
  readonly isPaymentUnderWay: boolean;
  /** The latest open invoice of the subscription, where it is another one. */
  readonly newerInvoice: string | undefined;
}

/** A subscription with these is behind with its latest invoice (stripe-facts 2.1). */
const BEHIND: ReadonlySet<string> = new Set(['past_due', 'unpaid']);
/** No renewal is billed until somebody resumes it (stripe-facts 2.8). */
export const PAUSED = 'paused';
const PAYMENT_RECHECK_HOURS = 1;
const REQUEST_RECHECK_DAYS = 1;
/** What is made at the renewal would be the latest invoice then. */
const BEFORE_RENEWAL_HOURS = 2;

const GUARDS: readonly Guard<EndingFacts>[] = [
  {
    name: 'stopped',
    check: ({ stopReason, holds }) => {
      const reason = findPersonsStop(holds) ?? stopReason;
      return reason && { reason };
    },
  },
  {
    name: 'status',
    check: ({ invoice: { status } }) =>
      status === 'open' ? undefined : { reason: { code: 'invoice_status', status } },
  },
  AMOUNT_REMAINING,
  DISPUTED,
  {
    name: 'stripe_collects',
    check: ({ isStripeCollecting }) =>
      isStripeCollecting ? { reason: { code: 'stripe_collects' } } : undefined,
  },
  PROCESSING,
  {
    name: 'payment_under_way',
    check: ({ isPaymentUnderWay, now }) =>
      isPaymentUnderWay
        ? { reason: { code: 'payment_under_way' }, until: now.plus({ hours: PAYMENT_RECHECK_HOURS }) }
        : undefined,
  },
  {
    name: 'subscription',
    check: ({ choice, invoice, holds, now }) => {
      const { subscription } = invoice;
      if (choice === 'uncollectible') return undefined;
      if (!subscription) return { reason: { code: 'no_subscription' } };
      const { id, status, isPaused } = subscription;
      if (choice === 'pause' && status === PAUSED)
        return { reason: { code: 'paused_already', subscriptionId: id } };
      // The status follows the latest invoice: whoever has paid that is a paying customer with an old debt.
      if (!BEHIND.has(status)) return { reason: { code: 'subscription_status', subscriptionId: id, status } };
      // It ends by itself, and the request may be taken back until then.
      const request = findCancelRequest({ invoice, holds });
      if (request) return { reason: request, until: now.plus({ days: REQUEST_RECHECK_DAYS }) };
      return isPaused ? { reason: { code: 'paused_already', subscriptionId: id } } : undefined;
    },
  },
  {
    // The latest invoice decides about access, and it has its whole period: paid, it leaves a customer with an old debt.
    name: 'latest_invoice',
    check: ({ choice, newerInvoice, invoice: { subscription }, now }) => {
      const until = subscription?.renewsAt?.minus({ hours: BEFORE_RENEWAL_HOURS });
      if (choice === 'uncollectible' || newerInvoice === undefined || !until || until <= now)
        return undefined;
      return { reason: { code: 'newer_invoice', invoiceId: newerInvoice }, until };
    },
  },
];

export function findEndingObjection(facts: EndingFacts): Objection | undefined {
  return findObjection(GUARDS, facts);
}

/** Whether what is to be done is done, as Stripe shows it. */
export function isEnded(choice: Ending, { status, subscription }: PayableInvoice): boolean {
  if (choice === 'uncollectible') return status === 'uncollectible';
  if (choice === 'cancel') return subscription?.status === 'canceled';
  return subscription?.isPaused === true || subscription?.status === PAUSED;
}
