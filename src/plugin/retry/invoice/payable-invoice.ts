/** Facts for deciding on a payment, from one read of the invoice with payments, subscription and customer. */

import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import { isSignUp } from '../../../core/contract/sign-up.ts';
import {
  type ChosenMethod,
  expanded,
  idOf,
  listChosenMethods,
  livingCustomerOf,
  subscriptionOf,
} from '../../clients/chosen-methods.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { expiryOf, fingerprintOf, typeOfId } from '../../clients/method-identity.ts';
import type { Reason } from '../../reasons/reason.ts';

export interface PaymentMethodFacts {
  readonly id: string;
  readonly type?: string | undefined;
  /** The brand that Stripe prefers, if the card has several. */
  readonly brand?: string | undefined;
  /** Every network that a charge may use (stripe-facts 5.1). */
  readonly networks: readonly string[];
  readonly fingerprint?: string | undefined;
  /** Expiry of a card, `2030-04`. */
  readonly expiry?: string | undefined;
  /** Country of issue. */
  readonly country?: string | undefined;
}

export interface PayableInvoice {
  readonly id: string;
  /** Number known to the customer; none for a draft. */
  readonly number: string | undefined;
  readonly status: string;
  readonly amountRemaining: number;
  readonly currency: string;
  readonly collectionMethod: string;
  readonly isProcessing: boolean;
  readonly nextStripeAttemptAt: DateTime | undefined;
  /** The money may have been written off, and when; not the end of Stripe's own retries. */
  readonly writtenOff?: { readonly reason: string; readonly at: DateTime | undefined };
  /** First payment of a subscription that has not started; it belongs to the checkout. */
  readonly isSignUp: boolean;
  readonly hostedUrl: string | undefined;
  /** Time of finalization, else of creation. */
  readonly issuedAt: DateTime;
  /** Prices and products billed or subscribed. */
  readonly plans: readonly string[];
  /** Metadata of subscription, invoice and customer. */
  readonly metadata: readonly Stripe.Metadata[];
  readonly customer: Stripe.Customer | undefined;
  readonly customerId: string;
  /** The connected account that a platform collects for. */
  readonly onBehalfOf?: string | undefined;
  readonly subscription:
    | {
        readonly id: string;
        readonly status: string;
        /** Paused collection, which does not change the status (stripe-facts 2.7). */
        readonly isPaused: boolean;
        readonly resumesAt?: DateTime | undefined;
        /** Stripe can move it to status `paused` (stripe-facts 2.8). */
        readonly canPause?: boolean;
        readonly endedAt?: DateTime | undefined;
        /** Time of the next invoice. */
        readonly renewsAt?: DateTime;
        /** Requested end, at the renewal or before it, and the time of the request (stripe-facts 2.2). */
        readonly endsAt?: DateTime;
        readonly endAskedAt?: DateTime | undefined;
        /** The request was a pause, in force since then (stripe-facts 2.8). */
        readonly isPauseAsked?: boolean;
      }
    | undefined;
  /** A later subscription that may replace it. */
  readonly successor?: Successor | undefined;
  /** Stripe's choice (stripe-facts 3.6); details only if expanded. */
  readonly defaultMethod: PaymentMethodFacts | undefined;
  /** Methods named by invoice, subscription or customer. Other cards may be saved. */
  readonly chosenMethods: readonly string[];
}

/** The customer may have added a card for this subscription only. */
export interface Successor {
  readonly id: string;
  readonly startedAt: DateTime;
}

export function readPayableInvoice(invoice: Stripe.Invoice): PayableInvoice {
  const subscription = subscriptionOf(invoice);
  const { next_payment_attempt: next } = invoice;
  const chosen = listChosenMethods(invoice);
  const payer = livingCustomerOf(invoice);
  const plans = readPlans(invoice, subscription);
  const issued = invoice.status_transitions.finalized_at ?? invoice.created;
  return {
    id: invoice.id,
    number: invoice.number ?? undefined,
    status: invoice.status ?? 'draft',
    amountRemaining: invoice.amount_remaining,
    currency: invoice.currency,
    collectionMethod: invoice.collection_method,
    isProcessing: (invoice.payments?.data ?? []).some(isProcessing),
    nextStripeAttemptAt: invoice.auto_advance ? timeOf(next) : undefined,
    ...readWriteOff(invoice),
    isSignUp: isSignUp(invoice.billing_reason, subscription?.status),
    hostedUrl: invoice.hosted_invoice_url ?? undefined,
    issuedAt: fromUnixSeconds(issued),
    plans,
    metadata: [subscription?.metadata, invoice.metadata, payer?.metadata].filter((known) => known != null),
    customer: payer,
    customerId: customerIdOf(invoice) ?? '',
    onBehalfOf: idOf(invoice.on_behalf_of),
    subscription: subscription && {
      id: subscription.id,
      status: subscription.status,
      isPaused: subscription.pause_collection !== null,
      resumesAt: timeOf(subscription.pause_collection?.resumes_at),
      canPause: canPause(subscription),
      endedAt: timeOf(subscription.ended_at),
      ...readRenewal(subscription),
    },
    successor: subscription && readSuccessor(payer, { subscription, plans, issued }),
    defaultMethod: chosen[0] ? readMethod(chosen[0]) : undefined,
    chosenMethods: chosen.flatMap((method) => idOf(method) ?? []),
  };
}

function readPlans(invoice: Stripe.Invoice, subscription: Stripe.Subscription | undefined): string[] {
  const billed = invoice.lines.data.map(({ pricing }) => pricing?.price_details);
  const ids = [
    ...billed.flatMap((details) => [idOf(details?.price), details?.product]),
    ...(subscription ? listPlans(subscription) : []),
  ];
  return [...new Set(ids.filter((id) => id !== undefined))];
}

function listPlans({ items }: Stripe.Subscription): string[] {
  return items.data.flatMap(({ price: { id, product } }) => [id, idOf(product) ?? id]);
}

/** Statuses before the first payment, which may never come. */
const NOT_STARTED: ReadonlySet<string> = new Set(['incomplete', 'incomplete_expired', 'canceled']);

/**
 * The first subscription after the failure with the same price or product, at any interval or on trial; another product if this
 * subscription was canceled since, as in an upgrade.
 */
function readSuccessor(
  payer: Stripe.Customer | undefined,
  {
    subscription: { id, canceled_at: askedAt },
    plans,
    issued,
  }: { subscription: Stripe.Subscription; plans: readonly string[]; issued: number },
): Successor | undefined {
  const isReplaced = askedAt !== null && askedAt >= issued;
  const later = (payer?.subscriptions?.data ?? [])
    .filter((one) => one.id !== id && one.created >= issued && !NOT_STARTED.has(one.status))
    .filter((one) => isReplaced || listPlans(one).some((plan) => plans.includes(plan)))
    .sort((one, other) => one.created - other.created);
  return later[0] && { id: later[0].id, startedAt: fromUnixSeconds(later[0].created) };
}

function timeOf(seconds: number | null | undefined): DateTime | undefined {
  return typeof seconds === 'number' ? fromUnixSeconds(seconds) : undefined;
}

const PAUSABLE: ReadonlySet<string> = new Set(['active', 'past_due', 'unpaid', 'trialing']);

function canPause({ status, billing_mode, collection_method, schedule }: Stripe.Subscription): boolean {
  const isAutomatic = collection_method === 'charge_automatically';
  return PAUSABLE.has(status) && billing_mode.type === 'flexible' && isAutomatic && schedule === null;
}

function readRenewal(subscription: Stripe.Subscription) {
  const ends = subscription.items.data.map((item) => item.current_period_end);
  if (ends.length === 0) return {};
  const renewsAt = Math.min(...ends);
  return { renewsAt: fromUnixSeconds(renewsAt), ...readCancelRequest(subscription, renewsAt) };
}

function readCancelRequest(subscription: Stripe.Subscription, renewsAt: number) {
  const { status, status_details: details } = subscription;
  if (status === 'paused' && details?.paused.subscription.type === 'pause_requested') {
    const since = fromUnixSeconds(details.paused.transitioned_at);
    return { endsAt: since, endAskedAt: since, isPauseAsked: true };
  }
  const { cancel_at: at, cancel_at_period_end: isAtRenewal, canceled_at: askedAt } = subscription;
  const endsAt = isAtRenewal ? (at ?? renewsAt) : at;
  if (endsAt === null || (endsAt > renewsAt && !isAtRenewal)) return {};
  return { endsAt: fromUnixSeconds(endsAt), endAskedAt: timeOf(askedAt) };
}

/** Stripe used up its attempts; ours may continue (stripe-facts 3.2). Other reasons may mean forgiveness. */
const OUT_OF_ATTEMPTS = 'max_payment_attempts';

function readWriteOff({ status, status_details, status_transitions }: Stripe.Invoice) {
  const reason = status_details?.uncollectible?.reason ?? 'Stripe gives no reason';
  if (status !== 'uncollectible' || reason === OUT_OF_ATTEMPTS) return {};
  return { writtenOff: { reason, at: timeOf(status_transitions.marked_uncollectible_at) } };
}

/** Why a first payment is not ours; undefined if it is. */
export function findSignUpReason(
  { isSignUp, subscription }: Pick<PayableInvoice, 'isSignUp' | 'subscription'>,
  { recoverSignUps }: { recoverSignUps: boolean },
): Reason | undefined {
  if (recoverSignUps || !isSignUp) return undefined;
  return { code: 'sign_up', subscriptionId: subscription?.id, status: subscription?.status };
}

function isProcessing(payment: Stripe.InvoicePayment): boolean {
  return expanded(payment.payment.payment_intent)?.status === 'processing';
}

/** An id from before payment methods shows little. */
export function readMethod(chosen: ChosenMethod): PaymentMethodFacts {
  if (typeof chosen === 'string') return { id: chosen, type: typeOfId(chosen), networks: [] };
  if (chosen.object === 'payment_method') return methodFacts(chosen);
  return { type: chosen.object, networks: [], ...sourceFacts(chosen), id: chosen.id };
}

export function methodFacts(method: Stripe.PaymentMethod): PaymentMethodFacts {
  const { brand, networks } = method.card ?? {};
  const preferred = networks?.preferred ?? undefined;
  const available = networks?.available ?? [];
  return {
    id: method.id,
    type: method.type,
    brand: preferred !== undefined && available.includes(preferred) ? preferred : brand,
    networks: [...new Set(brand === undefined ? available : [brand, ...available])],
    fingerprint: fingerprintOf(method),
    expiry: expiryOf(method),
    country: method.card?.country ?? undefined,
  };
}

/** Cards and bank accounts from before payment methods; brands were spelled `Visa`. */
function sourceFacts(source: Stripe.CustomerSource): Partial<PaymentMethodFacts> {
  if (source.object === 'bank_account') return { fingerprint: source.fingerprint ?? undefined };
  if (source.object === 'card') return oldCardFacts(source);
  if (source.object !== 'source') return {};
  const { type, card, ach_debit, sepa_debit } = source;
  const account = ach_debit ?? sepa_debit;
  return { type, ...(card ? oldCardFacts(card) : { fingerprint: account?.fingerprint ?? undefined }) };
}

type OldCard = Partial<Pick<Stripe.Card, 'brand' | 'fingerprint' | 'exp_month' | 'exp_year' | 'country'>>;

function oldCardFacts(
  card: { readonly [Part in keyof OldCard]: OldCard[Part] | null },
): Partial<PaymentMethodFacts> {
  const { brand, fingerprint, exp_month, exp_year, country } = card;
  const name = brand?.toLowerCase();
  const expiry = exp_month && exp_year ? expiryOf({ card: { exp_month, exp_year } }) : undefined;
  return {
    brand: name,
    networks: name === undefined ? [] : [name],
    fingerprint: fingerprint ?? undefined,
    expiry,
    country: country ?? undefined,
  };
}
