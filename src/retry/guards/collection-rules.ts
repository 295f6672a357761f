/**
 * Whether an invoice may be collected at all: payments, mails, the card-update page and a new card go by the same rules, so
 * that nobody is asked to pay what would not be charged. What depends on the moment or on the card is not here. Pure.
 */

import { isAccount } from '../../clients/customer-reference.ts';
import {
  type PayableInvoice,
  pauseInWords,
  SENT_TO_CUSTOMER,
  signUpInWords,
} from '../payment/payable-invoice.ts';
import { type FinalSay, wasReleasedSince } from './final-say.ts';

export interface Because {
  /** The name of what stands against it. */
  readonly guard: string;
  readonly reason: string;
}

interface Facts {
  readonly invoice: PayableInvoice;
  readonly say: FinalSay;
  readonly recoverSignUps: boolean;
}

interface CollectionRule {
  readonly name: string;
  /** Why not; undefined where nothing stands against it. */
  readonly check: (facts: Facts) => string | undefined;
}

/**
 * An uncollectible invoice can be paid (stripe-facts 3.1). What was planned ended when it became so; what is asked since knows of
 * it and is followed, unless somebody gave the money up: then a person must release the invoice first.
 */
const PAYABLE: ReadonlySet<string> = new Set(['open', 'uncollectible']);
const ENDED: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);

/** The first that objects decides. */
export const COLLECTION_RULES: readonly CollectionRule[] = [
  {
    name: 'stopped',
    check: ({ say }) => {
      if (say.heldBecause !== undefined) return `a person stopped it: ${say.heldBecause}`;
      return say.isStoppedByService ? 'the service stopped collecting this invoice' : undefined;
    },
  },
  {
    name: 'status',
    check: ({ invoice: { status, writtenOff }, say }) => {
      if (!PAYABLE.has(status)) return `the invoice is ${status}`;
      if (writtenOff === undefined || wasReleasedSince(say, writtenOff.at)) return undefined;
      return `it was marked uncollectible (${writtenOff.reason})`;
    },
  },
  {
    name: 'disputed',
    check: ({ say }) => (say.isDisputed ? 'the customer disputes a payment of this invoice' : undefined),
  },
  {
    name: 'amount_remaining',
    check: ({ invoice }) => (invoice.amountRemaining > 0 ? undefined : 'nothing remains to be paid'),
  },
  {
    name: 'collection_method',
    check: ({ invoice }) =>
      invoice.collectionMethod === 'charge_automatically' ? undefined : SENT_TO_CUSTOMER,
  },
  {
    name: 'customer',
    check: ({ invoice: { customer, customerId } }) => {
      if (customer) return undefined;
      return isAccount(customerId)
        ? `Stripe shows no customer for account ${customerId}: it was closed, or may not be read`
        : 'the customer was deleted';
    },
  },
  {
    name: 'subscription',
    check: ({ invoice: { subscription }, say }) => {
      const hasEnded = subscription !== undefined && ENDED.has(subscription.status);
      if (!hasEnded || wasReleasedSince(say, subscription.endedAt)) return undefined;
      return `subscription ${subscription.id} is ${subscription.status}`;
    },
  },
  {
    name: 'sign_up',
    check: ({ invoice, recoverSignUps }) => signUpInWords(invoice, { recoverSignUps }),
  },
  {
    name: 'pause_collection',
    check: ({ invoice: { subscription } }) =>
      subscription?.isPaused ? pauseInWords(subscription) : undefined,
  },
];

export function findCollectionObjection(facts: Facts): Because | undefined {
  for (const { name: guard, check } of COLLECTION_RULES) {
    const reason = check(facts);
    if (reason !== undefined) return { guard, reason };
  }
  return undefined;
}
