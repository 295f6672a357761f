/** Acts of customers, merchant and bank, other than email, that no retry causes. */
import { accepts } from '../sandbox/payment-behaviour.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { listChargesOf } from './ledger.ts';

/** Whom and what a turn is about. */
export interface TurnTarget {
  customerId: string;
  subscriptionId: string;
  /** The latest. */
  invoiceId: string;
}

interface Turn {
  readonly text: string;
  readonly act: (sandbox: Sandbox, target: TurnTarget) => void;
}

export type TurnName =
  | 'pays_out_of_band'
  | 'pays_on_invoice_page'
  | 'cancels'
  | 'invoice_voided'
  | 'disputes'
  | 'collection_paused'
  | 'collection_resumed'
  | 'card_renewed';

export const TURNS: Readonly<Record<TurnName, Turn>> = {
  pays_out_of_band: {
    text: 'sent the money by bank transfer; the merchant marks the invoice as paid',
    act: (sandbox, { invoiceId }) => sandbox.payOutOfBand(invoiceId),
  },
  pays_on_invoice_page: {
    text: "pays unasked on Stripe's invoice page",
    act: (sandbox, { invoiceId }) => sandbox.payAsCustomer(invoiceId),
  },
  cancels: {
    text: 'cancels the subscription',
    act: (sandbox, { subscriptionId }) => sandbox.cancelSubscription(subscriptionId),
  },
  invoice_voided: {
    text: 'the merchant voids the invoice as a courtesy',
    act: (sandbox, { invoiceId }) => sandbox.voidInvoice(invoiceId),
  },
  disputes: {
    text: 'disputes the payment at the bank',
    act: (sandbox, { invoiceId }) => sandbox.disputeCharge(findPaidCharge(sandbox, invoiceId)),
  },
  collection_paused: {
    text: 'the merchant pauses the collection of the subscription',
    act: (sandbox, { subscriptionId }) =>
      sandbox.pauseCollection(subscriptionId, { behavior: 'keep_as_draft' }),
  },
  collection_resumed: {
    text: 'the merchant ends the pause',
    act: (sandbox, { subscriptionId }) => sandbox.pauseCollection(subscriptionId, null),
  },
  card_renewed: {
    text: 'the bank renewed the card; its network informs Stripe',
    act: (sandbox, { customerId }) => {
      const method = sandbox.state.customers.get(customerId)?.invoice_settings.default_payment_method;
      sandbox.replaceCardAutomatically(method ?? '', accepts({ last4: '4127' }));
    },
  },
};

function findPaidCharge(sandbox: Sandbox, invoiceId: string): string {
  const paid = listChargesOf(sandbox, invoiceId).find(({ status }) => status === 'succeeded');
  if (paid === undefined) throw new Error(`No charge of invoice ${invoiceId} succeeded.`);
  return paid.id;
}
