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
  const change = await complete(deps, received.account, findChange(received.event));
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

/** A subscription without a card of its own is charged on the customer's again (facts 3.6). */
async function complete(
  deps: SyncDeps,
  account: string,
  change: Named | undefined,
): Promise<CardChange | undefined> {
  if (change?.customerId === undefined) return undefined;
  const { customerId } = change;
  const customer = change.paymentMethod ? undefined : await deps.stripe.findCustomer(account, customerId);
  const paymentMethod = change.paymentMethod ?? idOf(customer?.invoice_settings.default_payment_method);
  return paymentMethod ? { customerId, paymentMethod } : undefined;
}

/** What an event names; of a subscription without a card of its own, no card. */
type Named = { [Part in keyof CardChange]: CardChange[Part] | undefined };

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

function findChange(event: Stripe.Event): Named | undefined {
  switch (event.type) {
    case 'customer.updated': {
      const before = event.data.previous_attributes?.invoice_settings;
      if (before === undefined || !('default_payment_method' in before)) return undefined;
      return toChange(event.data.object.id, idOf(event.data.object.invoice_settings?.default_payment_method));
    }
    case 'customer.subscription.updated': {
      const before = event.data.previous_attributes;
      if (before === undefined || !('default_payment_method' in before)) return undefined;
      return {
        customerId: idOf(event.data.object.customer),
        paymentMethod: idOf(event.data.object.default_payment_method),
      };
    }
    case 'payment_method.automatically_updated':
      return toChange(idOf(event.data.object.customer), event.data.object.id);
    default:
      return undefined;
  }
}

/** Undefined where no card is named: a customer without one has nothing to pay with. */
function toChange(customerId: string | undefined, paymentMethod: string | undefined): CardChange | undefined {
  return customerId && paymentMethod ? { customerId, paymentMethod } : undefined;
}
