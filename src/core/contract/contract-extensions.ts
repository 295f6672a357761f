/**
 * What the plugin sends the embedded service beyond the contract, because the time of a retry depends on it. A remote
 * service is sent what the contract names and nothing else, unless it says that it takes this, too (`capabilities.ts`).
 */
import { z } from 'zod';
import {
  type IngestKind,
  invoiceMessage,
  MAX_BATCH,
  subscriptionMessage,
  transactionMessage,
} from './contract.ts';
import { amount, identifier, timestamp } from './contract-fields.ts';

const word = z.string().max(64);

export const extendedSubscription = z.compile(
  subscriptionMessage.extend({
    /** The merchant has paused collection (`pause_collection`); absent otherwise. */
    isCollectionPaused: z.boolean().optional(),
    /** When it goes on by itself. */
    collectionResumesAt: timestamp.optional(),
    /** It ends at `expiresAt` instead of renewing (`cancel_at_period_end`, `cancel_at`); absent otherwise. */
    isCancelRequested: z.boolean().optional(),
    /** It ends with the period that runs (`cancel_at_period_end`), and may be kept until then; absent otherwise. */
    isCanceledAtPeriodEnd: z.boolean().optional(),
    /** What `expiresAt` means: a definite end, or the next renewal. At most one of the two is there. */
    endsAt: timestamp.optional(),
    renewsAt: timestamp.optional(),
    /** It is on trial, and is charged for the first time then. */
    trialEndsAt: timestamp.optional(),
    /** It makes no invoices until somebody resumes it (status `paused`); absent otherwise. */
    isPaused: z.boolean().optional(),
    /** `amount` is before discounts; absent without any. */
    hasDiscounts: z.boolean().optional(),
    /** One takes off 100 percent, as far as Stripe showed the coupon; absent otherwise. */
    isFullyDiscounted: z.boolean().optional(),
    /** Usage is billed on top of `amount`; absent otherwise. */
    hasMeteredItems: z.boolean().optional(),
    /** Stripe's `collection_method` where it is not `charge_automatically`. */
    collectionMethod: word.optional(),
    /** Periods up to then are billed in advance, beyond the one that runs (`billed_until`). */
    prebilledUntil: timestamp.optional(),
  }),
);
export type ExtendedSubscription = z.infer<typeof extendedSubscription>;

export const extendedInvoice = z.compile(
  invoiceMessage.extend({
    /** Stripe's `collection_method` where it is not `charge_automatically`: then nobody but the customer pays. */
    collectionMethod: word.optional(),
    /** IANA zone of the customer's address, where it is known. */
    customerTimeZone: word.optional(),
    /** Minor units still owed of `amount`. */
    amountRemaining: amount.optional(),
    /** What discounts took off, `amount` being what is left; absent without any. */
    discountAmount: amount.optional(),
  }),
);
/** Of an invoice that the service was told of, and that is void now: the contract has no state for it. */
export const INVOICE_VOID = 'INVOICE_STATE_VOID';
export type ExtendedInvoice = z.infer<typeof extendedInvoice>;

export const extendedTransaction = z.compile(
  transactionMessage.extend({
    /** `credit`, `debit`, `prepaid`, `unknown`. */
    cardFunding: word.optional(),
    /** `2030-04`: a card that its network renewed keeps its number, but not this. */
    cardExpiry: word.optional(),
    /** Stripe's `advice_code` (stripe-facts 5.2). */
    paymentGatewayAdviceCode: word.optional(),
    /** The card network's own codes: to be read with the brand. */
    networkDeclineCode: word.optional(),
    networkAdviceCode: word.optional(),
    /** A failure with a method that is not charged next, such as a card that the customer tried on Stripe's page; absent otherwise. */
    isOtherMethod: z.boolean().optional(),
    /** The request that is not carried out any more, and the code of why: with the state `…_NOT_MADE`, since nothing was tried. */
    endedRequestId: identifier.optional(),
    endedReason: word.optional(),
  }),
);
export type ExtendedTransaction = z.infer<typeof extendedTransaction>;

/** Of a transaction that tells only what became of a request. */
export const NOT_MADE = 'TRANSACTION_STATE_NOT_MADE';

const maxItems = { maxItems: MAX_BATCH };

/** Bodies of the ingest operations as the embedded service takes them. */
export const extendedBodies = {
  subscriptions: z.object({ subscriptions: z.array(extendedSubscription).meta(maxItems) }),
  invoices: z.object({ invoices: z.array(extendedInvoice).meta(maxItems) }),
  transactions: z.object({ transactions: z.array(extendedTransaction).meta(maxItems) }),
} as const;

const CONTRACT: Readonly<Record<IngestKind, z.ZodObject>> = {
  subscriptions: subscriptionMessage,
  invoices: invoiceMessage,
  transactions: transactionMessage,
};

/** The record as the contract has it. */
export function toContractRecord(kind: IngestKind, record: object): object {
  const { shape } = CONTRACT[kind];
  return Object.fromEntries(Object.entries(record).filter(([name]) => Object.hasOwn(shape, name)));
}
