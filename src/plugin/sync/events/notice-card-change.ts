import type Stripe from 'stripe';
import { z } from 'zod';
import type { Transaction } from '../../../core/database/database.ts';
import { idOf } from '../../clients/chosen-methods.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { eventObject, owned, reference, word } from './event-object.ts';
import { ASKS_STRIPE, canAsk, type EventStep, type PlanDeps, type ReceivedEvent } from './event-step.ts';

export const CUSTOMER = eventObject(
  ['customer_read'],
  z.object({
    object: z.literal('customer'),
    id: word,
    customer_account: word.nullish(),
    invoice_settings: z.object({ default_payment_method: reference }).nullish(),
  }),
);
export const PAYMENT_METHOD = eventObject(
  ['payment_method_read'],
  z.object({ object: z.literal('payment_method'), id: word, ...owned }),
);

/**
 * Detects that a customer will be charged on another card: a new default of the customer or a subscription, or a card renewed by its
 * network (stripe-facts 6.2, 6.3, 6.5). Effects are unique by card and invoice, so several events for a change are harmless.
 */
export const noticeCardChange: EventStep = async (deps, received) => {
  const named = findChange(received.event);
  const change = named && (await complete(deps, received.account, named));
  if (change === ASKS_STRIPE) return ASKS_STRIPE;
  if (change === undefined) return { result: { code: 'no_new_card' } };
  return {
    result: { code: 'new_card', paymentMethod: change.paymentMethod },
    apply: (tx) => payOpenInvoices(deps, received, change, tx),
  };
};

interface CardChange {
  customerId?: string | undefined;
  paymentMethod: string;
}

/** Ids in an event; a subscription that lost its own card names none. */
interface Named {
  readonly customerId: string | undefined;
  readonly paymentMethod: string | undefined;
}

async function payOpenInvoices(
  deps: PlanDeps,
  { account, createdAt }: ReceivedEvent,
  change: CardChange,
  tx: Transaction,
): Promise<void> {
  const data = { account, ...change, changedAt: createdAt.toISO() };
  await deps.enqueue('pay-open-invoices', [{ data }], tx);
}

/** A subscription without a card of its own is charged on the customer's (stripe-facts 3.6). */
async function complete(
  deps: PlanDeps,
  account: string,
  { customerId, paymentMethod }: Named,
): Promise<CardChange | typeof ASKS_STRIPE | undefined> {
  if (paymentMethod !== undefined) return { customerId, paymentMethod };
  if (customerId === undefined) return undefined;
  if (!canAsk(deps)) return ASKS_STRIPE;
  const customer = await deps.stripe.findCustomer(account, customerId);
  const inherited = idOf(customer?.invoice_settings.default_payment_method);
  return inherited === undefined ? undefined : { paymentMethod: inherited };
}

function findChange({ type, data }: Stripe.Event): Named | undefined {
  switch (type) {
    case 'customer.updated': {
      const { id: customerId, invoice_settings: settings, default_source: source } = data.object;
      const { invoice_settings: before, ...others } = data.previous_attributes ?? {};
      const isMethod = before !== undefined && 'default_payment_method' in before;
      const chosen = idOf(settings?.default_payment_method);
      // A source is charged only without a payment method (stripe-facts 3.6).
      const paymentMethod = isMethod
        ? chosen
        : 'default_source' in others && !chosen
          ? idOf(source)
          : undefined;
      return paymentMethod === undefined ? undefined : { customerId, paymentMethod };
    }
    case 'customer.subscription.updated': {
      const before = data.previous_attributes;
      if (before === undefined || !('default_payment_method' in before || 'default_source' in before))
        return undefined;
      const { default_payment_method: card, default_source: source } = data.object;
      return { customerId: customerIdOf(data.object), paymentMethod: idOf(card) ?? idOf(source) };
    }
    case 'payment_method.automatically_updated':
      return { customerId: customerIdOf(data.object), paymentMethod: data.object.id };
    default:
      return undefined;
  }
}
