/** All changes that the plugin makes at Stripe. */
import type { DateTime } from 'luxon';
import Stripe from 'stripe';
import { ownedBy } from './customer-reference.ts';
import { isOldSource } from './method-identity.ts';

/** A customer has pressed a button and can press it again. */
const FOR_CUSTOMER = { timeout: 10_000, maxNetworkRetries: 1 };

export interface PayRequest {
  invoiceId: string;
  /** Replaces Stripe's choice of method. */
  paymentMethod: string | undefined;
  idempotencyKey: string;
}

/** Called before each write; rejects if the account must not be changed. */
export type BeforeWrite = (account: string) => Promise<void>;

type On = (account: string) => Stripe.RequestOptions;

/** Makes a change after `BeforeWrite`. */
type Write = <T>(account: string, call: () => Promise<T>) => Promise<T>;

export function createStripeChanges(stripe: Stripe, on: On, beforeWrite: BeforeWrite) {
  const write: Write = async (account, call) => {
    await beforeWrite(account);
    return call();
  };
  return {
    ...createInvoiceChanges(stripe, on, write),
    ...createSubscriptionChanges(stripe, on, write),
    ...createPortalSessions(stripe, on, write),
  };
}

function createInvoiceChanges(stripe: Stripe, on: On, write: Write) {
  return {
    /** Makes a payment attempt. The key makes the call safe to repeat. The SDK does not retry here, so that we count every call. */
    payInvoice: (account: string, request: PayRequest): Promise<Stripe.Invoice> => {
      const params = {
        off_session: true,
        expand: ['payments.data.payment.payment_intent'],
        ...(request.paymentMethod ? payWith(request.paymentMethod) : {}),
      };
      const options = { ...on(account), idempotencyKey: request.idempotencyKey, maxNetworkRetries: 0 };
      return write(account, () => stripe.invoices.pay(request.invoiceId, params, options));
    },

    /** Off: ends Stripe's own attempts and emails for an invoice. On: its schedule continues (stripe-facts 3.5, 4.4). */
    setAutoAdvance: (account: string, invoiceId: string, isOn: boolean) =>
      write(account, () => stripe.invoices.update(invoiceId, { auto_advance: isOn }, on(account))),

    /** Makes an invoice due without automatic collection (stripe-facts 3.5). */
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
    /** Overrides the customer's method and a source of the subscription (stripe-facts 3.6). */
    setSubscriptionMethod: (
      account: string,
      { id, paymentMethod, idempotencyKey }: { id: string; paymentMethod: string; idempotencyKey: string },
    ) =>
      write(account, () =>
        stripe.subscriptions.update(id, chargeOn(paymentMethod), { ...on(account), idempotencyKey }),
      ),

    /** Changes the future method without charges or credits. */
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

    /** Cancels immediately without a last invoice: the debt stays. Stripe accepts no idempotency key here, and needs none. */
    cancelSubscription: (account: string, id: string, comment: string) =>
      write(account, () =>
        stripe.subscriptions.cancel(
          id,
          { invoice_now: false, prorate: false, cancellation_details: { comment } },
          on(account),
        ),
      ),

    /**
     * Sets status `paused`: no invoices until it is resumed, and no credit for the running, unpaid period. False if Stripe refuses it for this
     * subscription (stripe-facts 2.8).
     */
    pauseSubscription: (account: string, id: string, idempotencyKey: string): Promise<boolean> =>
      write(account, () =>
        unlessRefused(
          stripe.subscriptions.pause(
            id,
            { bill_for: { unused_time_from: { type: 'none' } } },
            { ...on(account), idempotencyKey },
          ),
        ).then((answer) => typeof answer !== 'string'),
      ),

    /** Ends status `paused` and paused collection, without charges: its next invoice comes as usual (stripe-facts 2.7, 2.8). */
    resumeSubscription: (
      account: string,
      id: string,
      { isWhole, key }: { isWhole: boolean; key: string },
    ) => {
      const options = { ...on(account), idempotencyKey: key };
      const unchanged = { billing_cycle_anchor: { type: 'unchanged' }, proration_behavior: 'none' } as const;
      return write(account, () =>
        unlessRefused(
          isWhole
            ? stripe.subscriptions.resume(id, unchanged, options)
            : stripe.subscriptions.update(id, { pause_collection: '' }, options),
        ),
      );
    },

    createSubscription: (account: string, params: Stripe.SubscriptionCreateParams, idempotencyKey: string) =>
      write(account, () =>
        unlessRefused(stripe.subscriptions.create(params, { ...on(account), idempotencyKey })),
      ),

    /** Keeps its future invoices as drafts until collection is resumed (stripe-facts 2.7). */
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

/** The code of a refusal if Stripe finds the request invalid, or the card declines: nothing was changed, and a retry would not help. */
async function unlessRefused<Answer>(call: Promise<Answer>): Promise<Answer | string> {
  try {
    return await call;
  } catch (error) {
    const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
    if (error instanceof StripeInvalidRequestError || error instanceof StripeCardError)
      return error.code ?? error.type;
    throw error;
  }
}

export interface PortalRequest {
  account: string;
  customerId: string;
  returnUrl: string;
  /** End of the time in which an expired session can be recovered through an address that Stripe emails. */
  recoverableUntil: DateTime;
  /** The subscription to pause; by default the card is changed. */
  pause?: string | undefined;
  /** Replaces the account's default. */
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

/** Sources from before payment methods have their own parameter (stripe-facts 3.6). */
function payWith(id: string): Pick<Stripe.InvoicePayParams, 'payment_method' | 'source'> {
  return isOldSource(id) ? { source: id } : { payment_method: id };
}

/** Clears the payment method for a source, which it would override. */
function chargeOn(
  id: string,
): Pick<Stripe.SubscriptionUpdateParams, 'default_payment_method' | 'default_source'> {
  return isOldSource(id)
    ? { default_payment_method: '', default_source: id }
    : { default_payment_method: id };
}
