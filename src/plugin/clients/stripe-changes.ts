/** Everything that changes something at Stripe. Nothing else in the plugin does. */
import type { DateTime } from 'luxon';
import Stripe from 'stripe';
import { ownedBy } from './customer-reference.ts';
import { isOldSource } from './method-identity.ts';

/** A customer has pressed a button and can press it again. */
const FOR_CUSTOMER = { timeout: 10_000, maxNetworkRetries: 1 };

export interface PayRequest {
  invoiceId: string;
  /** Where it is not the method that Stripe would choose by itself. */
  paymentMethod: string | undefined;
  idempotencyKey: string;
}

/** Asked right before each write; rejects where nothing may be changed for the account. */
export type BeforeWrite = (account: string) => Promise<void>;

type On = (account: string) => Stripe.RequestOptions;

/** Makes the change, unless nothing may be changed for the account. */
type Write = <T>(account: string, call: () => Promise<T>) => Promise<T>;

export function createStripeChanges(stripe: Stripe, on: On, beforeWrite: BeforeWrite) {
  const write: Write = async (account, call) => {
    await beforeWrite(account);
    return call();
  };
  return {
    ...createPayments(stripe, on, write),
    ...createInvoiceChanges(stripe, on, write),
    ...createSubscriptionChanges(stripe, on, write),
    ...createPortalSessions(stripe, on, write),
  };
}

function createPayments(stripe: Stripe, on: On, write: Write) {
  return {
    /**
     * One payment attempt. The key makes the call safe to repeat: Stripe answers a known key with the stored result.
     * The SDK does not retry by itself here, so that every call is counted by us. It has its turn before it is counted.
     */
    payInvoice: (account: string, request: PayRequest): Promise<Stripe.Invoice> => {
      const params = {
        off_session: true,
        expand: ['payments.data.payment.payment_intent'],
        ...(request.paymentMethod ? payWith(request.paymentMethod) : {}),
      };
      const options = { ...on(account), idempotencyKey: request.idempotencyKey, maxNetworkRetries: 0 };
      return write(account, () => stripe.invoices.pay(request.invoiceId, params, options));
    },
  };
}

function createInvoiceChanges(stripe: Stripe, on: On, write: Write) {
  return {
    /** Off ends Stripe's own attempts and mails for an invoice; on lets its schedule go on (stripe-facts 3.5, 4.4). */
    setAutoAdvance: (account: string, invoiceId: string, isOn: boolean) =>
      write(account, () => stripe.invoices.update(invoiceId, { auto_advance: isOn }, on(account))),

    /** Owed from now on; who collects it is said apart (stripe-facts 3.5). */
    finalizeInvoice: (account: string, id: string, idempotencyKey: string) =>
      write(account, () =>
        stripe.invoices.finalizeInvoice(id, { auto_advance: false }, { ...on(account), idempotencyKey }),
      ),

    markUncollectible: (account: string, id: string, idempotencyKey: string) =>
      write(account, () => stripe.invoices.markUncollectible(id, {}, { ...on(account), idempotencyKey })),
  };
}

function createSubscriptionChanges(stripe: Stripe, on: On, write: Write) {
  return {
    /** It comes before the customer's, and before a source that the subscription names (stripe-facts 3.6). */
    setSubscriptionMethod: (
      account: string,
      { id, paymentMethod, idempotencyKey }: { id: string; paymentMethod: string; idempotencyKey: string },
    ) =>
      write(account, () =>
        stripe.subscriptions.update(id, chargeOn(paymentMethod), { ...on(account), idempotencyKey }),
      ),

    /** Nothing is charged or credited for it: only who pays from now on changes. */
    updateSchedule: (
      account: string,
      id: string,
      update: Pick<Stripe.SubscriptionScheduleUpdateParams, 'phases' | 'default_settings'>,
      idempotencyKey: string,
    ) =>
      write(account, () =>
        stripe.subscriptionSchedules.update(
          id,
          { ...update, proration_behavior: 'none' },
          { ...on(account), idempotencyKey },
        ),
      ),

    /** At once, without a last invoice: what is owed stays owed. Stripe takes no idempotency key here, and needs none. */
    cancelSubscription: (account: string, id: string, comment: string) =>
      write(account, () =>
        stripe.subscriptions.cancel(
          id,
          { invoice_now: false, prorate: false, cancellation_details: { comment } },
          on(account),
        ),
      ),

    /**
     * The status `paused`: it makes no invoices until it is resumed, and nothing is given back for the running period, which
     * nobody has paid. False where Stripe does not do it for this subscription (stripe-facts 2.8).
     */
    pauseSubscription: (account: string, id: string, idempotencyKey: string): Promise<boolean> =>
      write(account, () =>
        isTaken(
          stripe.subscriptions.pause(
            id,
            { bill_for: { unused_time_from: { type: 'none' } } },
            { ...on(account), idempotencyKey },
          ),
        ),
      ),

    /** Invoices that it makes from now on stay drafts, until collection is resumed (stripe-facts 2.7). */
    pauseCollection: (account: string, id: string, idempotencyKey: string) =>
      write(account, () =>
        stripe.subscriptions.update(
          id,
          { pause_collection: { behavior: 'keep_as_draft' } },
          { ...on(account), idempotencyKey },
        ),
      ),
  };
}

/** False where Stripe refuses the request as such: nothing was changed, and nothing would be by asking again. */
async function isTaken(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return false;
    throw error;
  }
}

export interface PortalRequest {
  account: string;
  customerId: string;
  returnUrl: string;
  /** Until then the customer can come back to a session that has expired, by an address that Stripe mails to. */
  recoverableUntil: DateTime;
  /** The subscription to pause; without it the card is to be changed. */
  pause?: string | undefined;
  /** Without it the account's default. */
  configuration?: string | undefined;
}

function createPortalSessions(stripe: Stripe, on: On, write: Write) {
  return {
    createPortalSession: (input: PortalRequest) => {
      const { account, customerId, returnUrl, recoverableUntil, pause, configuration } = input;
      const params = {
        ...ownedBy(customerId),
        ...(configuration ? { configuration } : {}),
        return_url: returnUrl,
        flow_data: {
          ...(pause
            ? { type: 'subscription_pause', subscription_pause: { subscription: pause } }
            : { type: 'payment_method_update' }),
          after_completion: { type: 'redirect', redirect: { return_url: returnUrl } },
        },
        after_expiration: {
          type: 'customer_login',
          customer_login: { expires_at: Math.floor(recoverableUntil.toSeconds()) },
        },
      } as const;
      return write(account, () =>
        stripe.billingPortal.sessions.create(params, { ...on(account), ...FOR_CUSTOMER }),
      );
    },
  };
}

/** What there was before payment methods has a parameter of its own (stripe-facts 3.6). */
function payWith(id: string): Pick<Stripe.InvoicePayParams, 'payment_method' | 'source'> {
  return isOldSource(id) ? { source: id } : { payment_method: id };
}

/** A payment method goes before a source. */
function chargeOn(
  id: string,
): Pick<Stripe.SubscriptionUpdateParams, 'default_payment_method' | 'default_source'> {
  return isOldSource(id)
    ? { default_payment_method: '', default_source: id }
    : { default_payment_method: id };
}
