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
import type {
  CreditNote,
  Customer,
  Dispute,
  Invoice,
  PaymentMethod,
  Price,
  Refund,
  Subscription,
  SubscriptionSchedule,
  TaxRate,
} from './objects/wire.ts';
import type { PaymentMethodBehaviour } from './payment-behaviour.ts';
import type { World } from './sandbox-world.ts';

/** What a merchant or customer does, without going through the API. Each emits events as Stripe would. */
export interface Arrangements {
  createCustomer(input?: NewCustomer): Customer;
  deleteCustomer(id: string): void;
  /** A monthly price of 1000 minor units in usd when nothing else is said. Stripe's parameter names. */
  createPrice(input?: Partial<PriceInput>): Price;
  /** Takes a currency from a price, as the merchant may. Subscriptions in it go on. */
  removeCurrency(priceId: string, currency: string): void;
  /** Pays the first invoice immediately when the payment method allows. Stripe's parameter names. */
  createSubscription(input: SubscriptionInput): Subscription;
  /** A running subscription without invoices and events: cheap, for accounts with very many. */
  importSubscription(input: SubscriptionInput): Subscription;
  updateSubscription(id: string, changes: SubscriptionChanges): Subscription;
  /** Phases one after the other, from now on. */
  schedulePhases(
    id: string,
    phases: readonly PhaseInput[],
    endBehavior?: 'release' | 'cancel',
  ): SubscriptionSchedule;
  cancelSubscription(id: string, options?: CancelOptions): Subscription;
  /** Adds usage to a metered subscription item until its next invoice. */
  reportUsage(subscriptionItemId: string, quantity: number): void;
  /** Null ends the pause. */
  pauseCollection(
    id: string,
    pause: NonNullable<SubscriptionChanges['pause_collection']> | null,
  ): Subscription;
  /** Bills the next period now, without the hour as a draft. Throws when the subscription ends or pauses instead. */
  renewNow(subscriptionId: string): Invoice;
  /** The portal's card change; does not pay open invoices (stripe-facts 6.2). */
  changeDefaultCard(customerId: string, behaviour: PaymentMethodBehaviour): PaymentMethod;
  /** Sets it up for payments while the customer is away, without making it the default. */
  saveCard(
    customerId: string,
    behaviour: PaymentMethodBehaviour,
    usage?: 'off_session' | 'on_session',
  ): PaymentMethod;
  /** A bank account in the old way: a default source without a payment method. */
  giveBankAccount(customerId: string, behaviour: PaymentMethodBehaviour): PaymentMethod;
  /** Attaches it without making it the default. */
  attachCard(customerId: string, behaviour: PaymentMethodBehaviour): PaymentMethod;
  /** Puts a card on the customer's portal page, next to those offered before; a good Visa if never called. */
  offerCard(customerId: string, behaviour: PaymentMethodBehaviour): void;
  /** An invoice without a subscription over this amount, charged immediately unless it is to be sent. */
  invoiceOnce(customerId: string, amount: number, options?: OneOffInput): Invoice;
  /** Minor units; negative is credit. */
  setBalance(customerId: string, balance: number): void;
  createTaxRate(input: Parameters<typeof createTaxRate>[1]): TaxRate;
  /** Pays a part with the customer's default method, or another. Throws the decline like the API. */
  payPart(id: string, amount: number, paymentMethodId?: string): Invoice;
  /** Money that came outside of Stripe, for part of the invoice. */
  recordPart(id: string, amount: number): Invoice;
  createCreditNote(invoiceId: string, input: CreditNoteInput): CreditNote;
  voidInvoice(id: string): Invoice;
  /** A person forgives it, unless another of Stripe's reasons is given. */
  markUncollectible(id: string, reason?: Parameters<typeof markUncollectible>[2]): Invoice;
  payOutOfBand(id: string): Invoice;
  /** Somebody charges it in the Dashboard. Throws the decline like the API. */
  payAsMerchant(id: string): Invoice;
  /** The customer pays on the hosted page, present to authenticate; another method is not saved. Throws the decline like the API. */
  payAsCustomer(id: string, other?: PaymentMethodBehaviour): Invoice;
  detachCard(paymentMethodId: string): PaymentMethod;
  /** The network's account updater: same payment method, new card. */
  replaceCardAutomatically(paymentMethodId: string, behaviour: PaymentMethodBehaviour): PaymentMethod;
  /** The holder or the bank ends the mandate that the method is charged by. */
  endMandate(paymentMethodId: string): void;
  disputeCharge(chargeId: string, reason?: string, options?: { asInquiry?: boolean }): Dispute;
  escalateDispute(disputeId: string): Dispute;
  /** Again for an appeal. */
  answerDispute(disputeId: string): Dispute;
  appealDispute(disputeId: string): Dispute;
  closeDispute(disputeId: string, status: DisputeEnd): Dispute;
  refundCharge(chargeId: string, input?: RefundInput): Refund;
  /** An early fraud warning. */
  warnOfFraud(chargeId: string): void;
  /** Stripe's retry signal about an invoice that somebody has evaluated (`retrySignal` of the options). */
  recommendRetry(invoiceId: string, action: 'retry_now' | 'wait' | 'give_up', reason?: string): void;
  /** Nothing more is said about it. */
  endRetryEvaluation(invoiceId: string, status: 'expired' | 'canceled'): void;
}

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

export function arrangements(world: World): Arrangements {
  const invoice = (id: string) => getInvoice(world, id);
  const subscription = (id: string) => getSubscription(world, id);
  const customer = (id: string) => getCustomer(world, id);
  return {
    createCustomer: (input = {}) => newCustomer(world, input),
    deleteCustomer: (id) => {
      deleteCustomer(world, customer(id));
    },
    createPrice: (input = {}) => createPrice(world, { ...USUAL_PRICE, ...usualAmount(input), ...input }),
    removeCurrency: (priceId, currency) => {
      delete world.currencyOptions.get(priceId)?.[currency];
    },
    createSubscription: (input) => createSubscription(world, input),
    importSubscription: (input) => importSubscription(world, input),
    updateSubscription: (id, changes) => changeSubscription(world, subscription(id), changes),
    schedulePhases: (id, phases, endBehavior) => schedulePhases(world, subscription(id), phases, endBehavior),
    cancelSubscription: (id, options) => cancelSubscription(world, subscription(id), options),
    pauseCollection: (id, pause) => changeSubscription(world, subscription(id), { pause_collection: pause }),
    renewNow: (id) => renewNow(world, subscription(id)),
    changeDefaultCard: (id, behaviour) => changeDefaultCard(world, customer(id), behaviour),
    saveCard: (id, behaviour, usage) => saveCard(world, customer(id), behaviour, usage),
    giveBankAccount: (id, behaviour) => giveBankAccount(world, customer(id), behaviour),
    attachCard: (id, behaviour) => attachCard(world, customer(id), behaviour),
    offerCard: (id, behaviour) => {
      world.offeredCards.set(id, [...(world.offeredCards.get(id) ?? []), behaviour]);
    },
    reportUsage: (id, quantity) => {
      world.usage.set(id, (world.usage.get(id) ?? 0) + quantity);
    },
    invoiceOnce: (id, amount, options) => invoiceOnce(world, customer(id), amount, options),
    setBalance: (id, balance) => setBalance(world, customer(id), balance, 'usd'),
    createTaxRate: (input) => createTaxRate(world, input),
    payPart: (id, amount, method) => {
      const chosen = method ?? findPaymentMethod(world, invoice(id))?.id ?? '';
      return payPart(world, invoice(id), amount, getPaymentMethod(world, chosen));
    },
    recordPart: (id, amount) => recordPart(world, invoice(id), amount),
    createCreditNote: (id, input) => createCreditNote(world, invoice(id), input),
    voidInvoice: (id) => voidInvoice(world, invoice(id)),
    markUncollectible: (id, reason) => markUncollectible(world, invoice(id), reason),
    payOutOfBand: (id) => payOutOfBand(world, invoice(id)),
    payAsMerchant: (id) => payInvoice(world, invoice(id)),
    payAsCustomer: (id, other) =>
      payInvoice(world, invoice(id), { by: 'customer', chosenMethod: other && createMethod(world, other) }),
    detachCard: (id) => detachCard(world, getPaymentMethod(world, id)),
    replaceCardAutomatically: (id, behaviour) =>
      replaceCardAutomatically(world, getPaymentMethod(world, id), behaviour),
    endMandate: (id) => endMandate(world, getPaymentMethod(world, id)),
    escalateDispute: (id) => escalateDispute(world, getDispute(world, id)),
    answerDispute: (id) => answerDispute(world, getDispute(world, id)),
    appealDispute: (id) => appealDispute(world, getDispute(world, id)),
    closeDispute: (id, status) => closeDispute(world, getDispute(world, id), status),
    refundCharge: (id, input) => refundCharge(world, getCharge(world, id), input),
    warnOfFraud: (id) => warnOfFraud(world, getCharge(world, id)),
    recommendRetry: (id, action, reason = 'The model says so.') => {
      recommend(world, getPaymentIntent(world, invoice(id)).id, { action, reason });
    },
    endRetryEvaluation: (id, status) => {
      const { id: intent } = getPaymentIntent(world, invoice(id));
      for (const one of world.retryEvaluations.newestFirst())
        if (one.payment_intent === intent) one.status = status;
    },
    disputeCharge: (id, reason, options) => disputeCharge(world, getCharge(world, id), reason, options),
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
