import type Stripe from 'stripe';
import { idOf } from '../clients/stripe-client.ts';
import type { Transaction } from '../store/database.ts';
import type { EventStep, ReceivedEvent, SyncDeps } from './event-step.ts';

/**
 * Whichever event says that a customer will be charged on another card than before: a new default on the customer or
 * on a subscription, or a card that its network renewed (facts 6.2, 6.3, 6.5). What follows is de-duplicated by card
 * and invoice, so several events for one change are harmless.
 */
export const noticeCardChange: EventStep = async (deps, received) => {
  const change = findChange(received.event);
  if (change === undefined) return { result: 'no new card' };
  return {
    result: `new card ${change.paymentMethod}`,
    apply: (tx) => payOpenInvoices(deps, received, change, tx),
  };
};

interface CardChange {
  customerId: string;
  paymentMethod: string;
}

async function payOpenInvoices(
  deps: SyncDeps,
  { account, createdAt }: ReceivedEvent,
  change: CardChange,
  tx: Transaction,
): Promise<void> {
  await deps.enqueue(
    'pay-open-invoices',
    [{ data: { account, ...change, changedAt: createdAt.toISO() } }],
    tx,
  );
}

function findChange(event: Stripe.Event): CardChange | undefined {
  switch (event.type) {
    case 'customer.updated': {
      const before = event.data.previous_attributes?.invoice_settings;
      if (before === undefined || !('default_payment_method' in before)) return undefined;
      return toChange(event.data.object.id, idOf(event.data.object.invoice_settings?.default_payment_method));
    }
    case 'customer.subscription.updated': {
      const before = event.data.previous_attributes;
      if (before === undefined || !('default_payment_method' in before)) return undefined;
      return toChange(idOf(event.data.object.customer), idOf(event.data.object.default_payment_method));
    }
    case 'payment_method.automatically_updated':
      return toChange(idOf(event.data.object.customer), event.data.object.id);
    default:
      return undefined;
  }
}

function toChange(customerId: string | undefined, paymentMethod: string | undefined): CardChange | undefined {
  return customerId && paymentMethod ? { customerId, paymentMethod } : undefined;
}
