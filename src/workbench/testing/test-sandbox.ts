/** What a host's test asks of the simulated Stripe account: ids in, objects as Stripe's API writes them out. */

export interface StripeObject {
  readonly id: string;
  readonly object: string;
  readonly [field: string]: unknown;
}

/** What there is of one kind, by id. */
export interface StripeObjects {
  get(id: string): StripeObject | undefined;
  newestFirst(): Iterable<StripeObject>;
}

type Kind =
  | 'customers'
  | 'paymentMethods'
  | 'subscriptions'
  | 'invoices'
  | 'paymentIntents'
  | 'charges'
  | 'disputes'
  | 'refunds'
  | 'events';

/** What merchants and customers do at Stripe, and what there is then. Call `settle` after what you do. */
export interface TestSandbox {
  /** Takes the place of `https://api.stripe.com`. */
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly state: { readonly [Name in Kind]: StripeObjects };
  deleteCustomer(id: string): void;
  cancelSubscription(id: string): StripeObject;
  /** Null ends the pause. */
  pauseCollection(
    subscription: string,
    pause: { readonly behavior: 'keep_as_draft' | 'mark_uncollectible' | 'void' } | null,
  ): StripeObject;
  /** Bills the next period now, without the hour as a draft. Throws when the subscription ends or pauses instead. */
  renewNow(subscription: string): StripeObject;
  voidInvoice(id: string): StripeObject;
  markUncollectible(invoice: string): StripeObject;
  payOutOfBand(invoice: string): StripeObject;
  /** Somebody charges it in the Dashboard. Throws the decline like the API. */
  payAsMerchant(invoice: string): StripeObject;
  /** The customer pays on the hosted page, present to authenticate. Throws the decline like the API. */
  payAsCustomer(invoice: string): StripeObject;
  /** Pays with the customer's default method. In the smallest unit. */
  payPart(invoice: string, amount: number): StripeObject;
  detachCard(paymentMethod: string): StripeObject;
  disputeCharge(charge: string, reason?: string): StripeObject;
  closeDispute(id: string, status: 'won' | 'lost' | 'warning_closed'): StripeObject;
  /** All that is left of it without an amount, in the smallest unit. */
  refundCharge(charge: string, input?: { readonly amount?: number }): StripeObject;
}
