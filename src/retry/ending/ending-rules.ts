/** May what AFTER_GIVING_UP says be done now? The first rule that objects decides. Pure. */
import type { DateTime } from 'luxon';
import type { AfterGivingUp } from '../../config/giving-up.ts';
import type { Objection } from '../actions/tell-guard.ts';
import type { FinalSay } from '../guards/final-say.ts';
import type { PayableInvoice } from '../payment/payable-invoice.ts';

export type Ending = Exclude<AfterGivingUp, 'leave'>;

export interface EndingFacts {
  readonly now: DateTime;
  readonly choice: Ending;
  readonly invoice: PayableInvoice;
  /** Stripe's own collection of the invoice is on. */
  readonly isStripeCollecting: boolean;
  readonly say: FinalSay;
  /** Why the action was stopped; undefined if it was not. */
  readonly stoppedBecause: string | undefined;
  /** A payment of the invoice is planned, or its outcome is not known yet. */
  readonly isPaymentUnderWay: boolean;
}

/** A subscription with these is behind with its latest invoice (stripe-facts 2.1). */
const BEHIND: ReadonlySet<string> = new Set(['past_due', 'unpaid']);
const PROCESSING_RECHECK_HOURS = 24;
const PAYMENT_RECHECK_HOURS = 1;

type Rule = (facts: EndingFacts) => Omit<Objection, 'guard'> | undefined;

const RULES: Readonly<Record<string, Rule>> = {
  stopped: ({ stoppedBecause, say }) => {
    if (say.heldBecause !== undefined) return { reason: `a person stopped it: ${say.heldBecause}` };
    return stoppedBecause === undefined ? undefined : { reason: stoppedBecause };
  },
  status: ({ invoice: { status, amountRemaining } }) => {
    if (status !== 'open') return { reason: `the invoice is ${status}` };
    return amountRemaining > 0 ? undefined : { reason: 'nothing remains to be paid' };
  },
  disputed: ({ say }) =>
    say.isDisputed ? { reason: 'the customer disputes a payment of this invoice' } : undefined,
  stripe_collects: ({ isStripeCollecting }) =>
    isStripeCollecting ? { reason: 'Stripe collects it by itself, and its own setting decides' } : undefined,
  processing: ({ invoice, now }) =>
    invoice.isProcessing
      ? { reason: 'a payment is still processing', until: now.plus({ hours: PROCESSING_RECHECK_HOURS }) }
      : undefined,
  payment_under_way: ({ isPaymentUnderWay, now }) =>
    isPaymentUnderWay
      ? { reason: 'a payment of it is under way', until: now.plus({ hours: PAYMENT_RECHECK_HOURS }) }
      : undefined,
  subscription: ({ choice, invoice: { subscription } }) => {
    if (choice === 'uncollectible') return undefined;
    if (!subscription) return { reason: 'the invoice has no subscription' };
    const { id, status, isPaused } = subscription;
    // The status follows the latest invoice: whoever has paid that is a paying customer with an old debt.
    if (!BEHIND.has(status)) return { reason: `subscription ${id} is ${status}` };
    return isPaused ? { reason: `collection of subscription ${id} is paused already` } : undefined;
  },
};

export function findEndingObjection(facts: EndingFacts): Objection | undefined {
  for (const [guard, rule] of Object.entries(RULES)) {
    const objection = rule(facts);
    if (objection) return { guard, ...objection };
  }
  return undefined;
}

/** Whether what is to be done is done, as Stripe shows it. */
export function isEnded(choice: Ending, { status, subscription }: PayableInvoice): boolean {
  if (choice === 'uncollectible') return status === 'uncollectible';
  if (choice === 'cancel') return subscription?.status === 'canceled';
  return subscription?.isPaused === true;
}
