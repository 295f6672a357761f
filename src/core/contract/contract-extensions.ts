/**
 * Fields beyond the contract that the plugin sends the embedded service, because retry times depend on them. A remote service gets
 * them only if it has the capability (`capabilities.ts`).
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
    /** Collection is paused by the merchant (`pause_collection`); absent otherwise. */
    isCollectionPaused: z.boolean().optional(),
    /** Automatic end of that pause. */
    collectionResumesAt: timestamp.optional(),
    /** Ends at `expiresAt` instead of renewing (`cancel_at_period_end`, `cancel_at`); absent otherwise. */
    isCancelRequested: z.boolean().optional(),
    /** Ends with the running period (`cancel_at_period_end`), and may be kept until then; absent otherwise. */
    isCanceledAtPeriodEnd: z.boolean().optional(),
    /** Meaning of `expiresAt`: a definite end, or the next renewal. At most one is set. */
    endsAt: timestamp.optional(),
    renewsAt: timestamp.optional(),
    /** End of the trial, and time of the first charge. */
    trialEndsAt: timestamp.optional(),
    /** No invoices until it is resumed (status `paused`); absent otherwise. */
    isPaused: z.boolean().optional(),
    /** `amount` is before discounts; absent without any. */
    hasDiscounts: z.boolean().optional(),
    /** Usage is billed on top of `amount`; absent otherwise. */
    hasMeteredItems: z.boolean().optional(),
    /** Stripe's `collection_method` if not `charge_automatically`. */
    collectionMethod: word.optional(),
    /** Periods until then are billed in advance (`billed_until`). */
    prebilledUntil: timestamp.optional(),
  }),
);
export type ExtendedSubscription = z.infer<typeof extendedSubscription>;

export const extendedInvoice = z.compile(
  invoiceMessage.extend({
    /** Stripe's `collection_method` if not `charge_automatically`: only the customer pays then. */
    collectionMethod: word.optional(),
    /** IANA zone of the customer's address, if known. */
    customerTimeZone: word.optional(),
    /** Minor units still owed of `amount`. */
    amountRemaining: amount.optional(),
    /** Total of discounts, which `amount` excludes; absent without any. */
    discountAmount: amount.optional(),
  }),
);
/** State of a forwarded invoice that is void now: the contract has none. */
export const INVOICE_VOID = 'INVOICE_STATE_VOID';
export type ExtendedInvoice = z.infer<typeof extendedInvoice>;

export const extendedTransaction = z.compile(
  transactionMessage.extend({
    /** `credit`, `debit`, `prepaid`, `unknown`. */
    cardFunding: word.optional(),
    /** `2030-04`. A card renewed by its network keeps its number, but not its expiry. */
    cardExpiry: word.optional(),
    /** Stripe's `advice_code` (stripe-facts 5.2). */
    paymentGatewayAdviceCode: word.optional(),
    /** The network's own codes, by brand. */
    networkDeclineCode: word.optional(),
    networkAdviceCode: word.optional(),
    /** The failed method is not the next to be charged, such as a card tried on Stripe's page; absent otherwise. */
    isOtherMethod: z.boolean().optional(),
    /** The request that ended and its reason code, with state `…_NOT_MADE` because nothing was tried. */
    endedRequestId: identifier.optional(),
    endedReason: word.optional(),
  }),
);
export type ExtendedTransaction = z.infer<typeof extendedTransaction>;

/** State of a transaction that only reports a request's end. */
export const NOT_MADE = 'TRANSACTION_STATE_NOT_MADE';

const maxItems = { maxItems: MAX_BATCH };

/** Bodies of the ingest operations of the embedded service. The count limit is checked separately: it is 429, not 400. */
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

/** The record with the contract's fields only. */
export function toContractRecord(kind: IngestKind, record: object): object {
  const { shape } = CONTRACT[kind];
  return Object.fromEntries(Object.entries(record).filter(([name]) => Object.hasOwn(shape, name)));
}
