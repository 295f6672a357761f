import { getCharge, getDispute } from './api/charge-routes.ts';
import { createCustomer, deleteCustomer, getCustomer } from './api/customer-routes.ts';
import { createTaxRate } from './api/invoice-item-routes.ts';
import { getInvoice } from './api/invoice-routes.ts';
import { getPaymentMethod } from './api/payment-method-routes.ts';
import { createPrice } from './api/price-routes.ts';
import { recommend } from './api/signal-routes.ts';
import { getSubscription } from './api/subscription-routes.ts';
import {
  type CancelOptions,
  cancelSubscription,
  changeSubscription,
  type SubscriptionChanges,
} from './billing/change-subscription.ts';
import { findPaymentMethod, getPaymentIntent } from './billing/charge-invoice.ts';
import { payInvoice, payOutOfBand } from './billing/collect-invoice.ts';
import {
  createSubscription,
  importSubscription,
  type SubscriptionInput,
} from './billing/create-subscription.ts';
import { type CreditNoteInput, createCreditNote } from './billing/credit-notes.ts';
import { setBalance } from './billing/customer-balance.ts';
import {
  attachCard,
  changeDefaultCard,
  createMethod,
  detachCard,
  giveBankAccount,
  replaceCardAutomatically,
  saveCard,
} from './billing/customer-cards.ts';
import {
  answerDispute,
  appealDispute,
  closeDispute,
  type DisputeEnd,
  disputeCharge,
  escalateDispute,
  warnOfFraud,
} from './billing/dispute-charge.ts';
import { markUncollectible } from './billing/give-up-invoice.ts';
import { addInvoiceItem } from './billing/invoice-items.ts';
import { voidInvoice } from './billing/invoice-lifecycle.ts';
import { endMandate } from './billing/mandates.ts';
import { createOneOff, finalizeAndCollect, type OneOffInput } from './billing/one-off-invoice.ts';
import { payPart, recordPart } from './billing/part-payments.ts';
import { type PhaseInput, schedulePhases } from './billing/phases.ts';
import { type RefundInput, refundCharge } from './billing/refund-charge.ts';
import { bill, renewSubscription } from './billing/renew-subscription.ts';
import { scheduleSubscription } from './billing/subscription-schedule.ts';
import type { PriceInput } from './objects/build-price.ts';
import type { Customer, Invoice, Subscription } from './objects/wire.ts';
import type { PaymentMethodBehaviour } from './payment-behaviour.ts';
import type { World } from './sandbox-world.ts';

export interface NewCustomer {
  email?: string | null;
  name?: string;
  country?: string;
  state?: string;
  locale?: string;
  metadata?: Record<string, string>;
  /** An account of Accounts v2: its objects name `customer_account` and no `customer`. */
  isAccount?: boolean;
  /** Becomes the default. */
  paymentMethod?: PaymentMethodBehaviour;
}

const USUAL_PRICE: PriceInput = {
  currency: 'usd',
  product_data: { name: 'Plan' },
  recurring: { interval: 'month' },
};

/** What a merchant or customer does, without going through the API. Each emits events as Stripe would. */
export type Arrangements = ReturnType<typeof arrangements>;

export function arrangements(world: World) {
  const invoice = (id: string) => getInvoice(world, id);
  const subscription = (id: string) => getSubscription(world, id);
  const customer = (id: string) => getCustomer(world, id);
  return {
    createCustomer: (input: NewCustomer = {}) => newCustomer(world, input),
    deleteCustomer: (id: string) => {
      deleteCustomer(world, customer(id));
    },
    /** A monthly price of 1000 minor units in usd when nothing else is said. Stripe's parameter names. */
    createPrice: (input: Partial<PriceInput> = {}) =>
      createPrice(world, { ...USUAL_PRICE, ...usualAmount(input), ...input }),
    /** Takes a currency from a price, as the merchant may. Subscriptions in it go on. */
    removeCurrency: (priceId: string, currency: string) => {
      delete world.currencyOptions.get(priceId)?.[currency];
    },
    /** Pays the first invoice immediately when the payment method allows. Stripe's parameter names. */
    createSubscription: (input: SubscriptionInput) => createSubscription(world, input),
    /** A running subscription without invoices and events: cheap, for accounts with very many. */
    importSubscription: (input: SubscriptionInput) => importSubscription(world, input),
    updateSubscription: (id: string, changes: SubscriptionChanges) =>
      changeSubscription(world, subscription(id), changes),
    /** Phases one after the other, from now on. */
    schedulePhases: (id: string, phases: readonly PhaseInput[], endBehavior?: 'release' | 'cancel') =>
      schedulePhases(world, subscription(id), phases, endBehavior),
    cancelSubscription: (id: string, options?: CancelOptions) =>
      cancelSubscription(world, subscription(id), options),
    /** Null ends the pause. */
    pauseCollection: (id: string, pause: NonNullable<SubscriptionChanges['pause_collection']> | null) =>
      changeSubscription(world, subscription(id), { pause_collection: pause }),
    /** Bills the next period now, without the hour as a draft. Throws when the subscription ends or pauses instead. */
    renewNow: (subscriptionId: string) => renewNow(world, subscription(subscriptionId)),
    /** The portal's card change; does not pay open invoices (stripe-facts 6.2). */
    changeDefaultCard: (customerId: string, behaviour: PaymentMethodBehaviour) =>
      changeDefaultCard(world, customer(customerId), behaviour),
    /** Sets it up for payments while the customer is away, without making it the default. */
    saveCard: (customerId: string, behaviour: PaymentMethodBehaviour, usage?: 'off_session' | 'on_session') =>
      saveCard(world, customer(customerId), behaviour, usage),
    /** A bank account in the old way: a default source without a payment method. */
    giveBankAccount: (customerId: string, behaviour: PaymentMethodBehaviour) =>
      giveBankAccount(world, customer(customerId), behaviour),
    /** Attaches it without making it the default. */
    attachCard: (customerId: string, behaviour: PaymentMethodBehaviour) =>
      attachCard(world, customer(customerId), behaviour),
    /** Puts a card on the customer's portal page, next to those offered before; a good Visa if never called. */
    offerCard: (customerId: string, behaviour: PaymentMethodBehaviour) => {
      world.offeredCards.set(customerId, [...(world.offeredCards.get(customerId) ?? []), behaviour]);
    },
    /** Adds usage to a metered subscription item until its next invoice. */
    reportUsage: (subscriptionItemId: string, quantity: number) => {
      world.usage.set(subscriptionItemId, (world.usage.get(subscriptionItemId) ?? 0) + quantity);
    },
    /** An invoice without a subscription over this amount, charged immediately unless it is to be sent. */
    invoiceOnce: (customerId: string, amount: number, options?: OneOffInput) =>
      invoiceOnce(world, customer(customerId), amount, options),
    /** Minor units; negative is credit. */
    setBalance: (customerId: string, balance: number) =>
      setBalance(world, customer(customerId), balance, 'usd'),
    createTaxRate: (input: Parameters<typeof createTaxRate>[1]) => createTaxRate(world, input),
    /** Pays a part with the customer's default method, or another. Throws the decline like the API. */
    payPart: (id: string, amount: number, paymentMethodId?: string) => {
      const chosen = paymentMethodId ?? findPaymentMethod(world, invoice(id))?.id ?? '';
      return payPart(world, invoice(id), amount, getPaymentMethod(world, chosen));
    },
    /** Money that came outside of Stripe, for part of the invoice. */
    recordPart: (id: string, amount: number) => recordPart(world, invoice(id), amount),
    createCreditNote: (invoiceId: string, input: CreditNoteInput) =>
      createCreditNote(world, invoice(invoiceId), input),
    voidInvoice: (id: string) => voidInvoice(world, invoice(id)),
    /** A person forgives it, unless another of Stripe's reasons is given. */
    markUncollectible: (id: string, reason?: Parameters<typeof markUncollectible>[2]) =>
      markUncollectible(world, invoice(id), reason),
    payOutOfBand: (id: string) => payOutOfBand(world, invoice(id)),
    /** Somebody charges it in the Dashboard. Throws the decline like the API. */
    payAsMerchant: (id: string) => payInvoice(world, invoice(id)),
    /** The customer pays on the hosted page, present to authenticate; another method is not saved. Throws the decline like the API. */
    payAsCustomer: (id: string, other?: PaymentMethodBehaviour) =>
      payInvoice(world, invoice(id), { by: 'customer', chosenMethod: other && createMethod(world, other) }),
    detachCard: (paymentMethodId: string) => detachCard(world, getPaymentMethod(world, paymentMethodId)),
    /** The network's account updater: same payment method, new card. */
    replaceCardAutomatically: (paymentMethodId: string, behaviour: PaymentMethodBehaviour) =>
      replaceCardAutomatically(world, getPaymentMethod(world, paymentMethodId), behaviour),
    /** The holder or the bank ends the mandate that the method is charged by. */
    endMandate: (paymentMethodId: string) => endMandate(world, getPaymentMethod(world, paymentMethodId)),
    disputeCharge: (chargeId: string, reason?: string, options?: { asInquiry?: boolean }) =>
      disputeCharge(world, getCharge(world, chargeId), reason, options),
    escalateDispute: (disputeId: string) => escalateDispute(world, getDispute(world, disputeId)),
    /** Again for an appeal. */
    answerDispute: (disputeId: string) => answerDispute(world, getDispute(world, disputeId)),
    appealDispute: (disputeId: string) => appealDispute(world, getDispute(world, disputeId)),
    closeDispute: (disputeId: string, status: DisputeEnd) =>
      closeDispute(world, getDispute(world, disputeId), status),
    refundCharge: (chargeId: string, input?: RefundInput) =>
      refundCharge(world, getCharge(world, chargeId), input),
    /** An early fraud warning. */
    warnOfFraud: (chargeId: string) => warnOfFraud(world, getCharge(world, chargeId)),
    /** Stripe's retry signal about an invoice that somebody has evaluated (`retrySignal` of the options). */
    recommendRetry: (
      invoiceId: string,
      action: 'retry_now' | 'wait' | 'give_up',
      reason = 'The model says so.',
    ) => {
      recommend(world, getPaymentIntent(world, invoice(invoiceId)).id, { action, reason });
    },
    /** Nothing more is said about it. */
    endRetryEvaluation: (invoiceId: string, status: 'expired' | 'canceled') => {
      const { id: intent } = getPaymentIntent(world, invoice(invoiceId));
      for (const one of world.retryEvaluations.newestFirst())
        if (one.payment_intent === intent) one.status = status;
    },
  };
}

function newCustomer(world: World, input: NewCustomer): Customer {
  const { email, name, country, state, locale, metadata, isAccount, paymentMethod } = input;
  const hasAddress = country !== undefined || state !== undefined;
  const customer = createCustomer(world, {
    email: email ?? undefined,
    name,
    metadata,
    address: hasAddress ? { country, state } : undefined,
    preferred_locales: locale === undefined ? undefined : [locale],
  });
  if (isAccount) {
    customer.customer_account = world.ids.next('acct');
    world.customerAccounts.set(customer.id, customer.customer_account);
  }
  if (paymentMethod !== undefined) changeDefaultCard(world, customer, paymentMethod);
  return customer;
}

function invoiceOnce(world: World, customer: Customer, amount: number, options: OneOffInput = {}): Invoice {
  const { currency = 'usd', description = 'Repair' } = options;
  addInvoiceItem(world, { customer: customer.id, currency, amount, description });
  return finalizeAndCollect(
    world,
    createOneOff(world, customer, {
      auto_advance: true,
      pending_invoice_items_behavior: 'include',
      ...options,
    }),
  );
}

function usualAmount(input: Partial<PriceInput>): Partial<PriceInput> {
  const hasAmount = input.unit_amount_decimal !== undefined || input.billing_scheme === 'tiered';
  return hasAmount || input.custom_unit_amount !== undefined ? {} : { unit_amount: 1000 };
}

function renewNow(world: World, subscription: Subscription): Invoice {
  const invoice = renewSubscription(world, subscription);
  if (invoice !== undefined) bill(world, subscription, invoice);
  scheduleSubscription(world, subscription);
  if (invoice === undefined)
    throw new Error(`Subscription ${subscription.id} did not renew; it is ${subscription.status}`);
  return invoice;
}
