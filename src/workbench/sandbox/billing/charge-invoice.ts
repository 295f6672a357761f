import { type ApiError, cardError, refused, requiresActionError, unchargedError } from '../api-error.ts';
import { type Decline, declineMessage } from '../decline-details.ts';
import { buildCharge } from '../objects/build-payment.ts';
import type {
  Charge,
  Invoice,
  InvoicePayment,
  PaymentIntent,
  PaymentMethod,
  Subscription,
} from '../objects/wire.ts';
import type { ChargeAnswer } from '../payment-behaviour.ts';
import { publish } from '../publish-event.ts';
import { subscriptionOf, unixNow, type World } from '../sandbox-world.ts';
import { endMandateAfter, findMandate, giveMandate, refusalOf } from './mandates.ts';

/** The outcome of one attempt; `error` is what `invoices.pay` answers with. */
export type AttemptResult =
  | { kind: 'paid' }
  /** `settle` is the bank's late answer; true when it paid. */
  | { kind: 'pending'; intent: PaymentIntent; answersAt: number; settle: () => boolean }
  | { kind: 'failed'; error: ApiError; needsCustomer: boolean };

/** One try at the invoice's payment intent. Changes the payment's objects only; the invoice is the caller's. */
export function chargeInvoice(
  world: World,
  invoice: Invoice,
  method: PaymentMethod,
  isCustomerPresent: boolean,
): AttemptResult {
  return chargeIntent(world, getPaymentIntent(world, invoice), method, isCustomerPresent);
}

export function chargeIntent(
  world: World,
  intent: PaymentIntent,
  method: PaymentMethod,
  isCustomerPresent: boolean,
): AttemptResult {
  if (intent.status === 'processing') {
    throw refused('This invoice has a payment that is still processing.', {
      code: 'payment_intent_unexpected_state',
    });
  }
  intent.payment_method = method.id;
  const context = { world, intent, method };
  const refusal = refusalOf(world, method);
  if (refusal !== undefined && !isCustomerPresent) return refuseCharge(context, refusal);
  if (refusal !== undefined) giveMandate(world, method);
  const answer = askCard(world, method, intent.amount);
  if (answer.kind === 'accepted' || (isCustomerPresent && wantsCustomer(answer))) return accept(context);
  if (answer.kind === 'declined') return decline(context, answer.decline);
  if (answer.kind === 'pending') return leavePending(context, answer);
  if (answer.kind === 'refused') return refuseCharge(context, answer.code);
  return waitForCustomer(context);
}

function wantsCustomer(answer: ChargeAnswer): boolean {
  if (answer.kind === 'requires_action') return true;
  return answer.kind === 'declined' && answer.decline.errorCode === 'authentication_required';
}

/** The first available one in Stripe's order (stripe-facts 3.6): the invoice's, the subscription's, the customer's. */
export function findPaymentMethod(world: World, invoice: Invoice): PaymentMethod | undefined {
  const subscription = world.subscriptions.get(subscriptionOf(invoice) ?? '');
  return findAvailable(world, invoice.customer, [invoice, subscription]);
}

/** The method on which the subscription's next invoice would be charged. */
export function findSubscriptionMethod(world: World, subscription: Subscription): PaymentMethod | undefined {
  return findAvailable(world, subscription.customer, [subscription]);
}

type Chooser = Pick<Subscription, 'default_payment_method' | 'default_source'> | undefined;

/** Detached, a method is passed over. */
function findAvailable(
  world: World,
  customerId: string | null,
  choosers: readonly Chooser[],
): PaymentMethod | undefined {
  const customer = world.customers.get(customerId ?? '');
  const inherited: Chooser = customer && {
    default_payment_method: customer.invoice_settings.default_payment_method,
    default_source: customer.default_source,
  };
  return [...choosers, inherited]
    .flatMap((chooser) => [chooser?.default_payment_method, chooser?.default_source])
    .map((id) => world.paymentMethods.get(id ?? ''))
    .find((method) => method?.customer === customerId);
}

export function getPaymentIntent(world: World, invoice: Invoice): PaymentIntent {
  const intent = world.paymentIntents.get(getInvoicePayment(world, invoice).payment.payment_intent ?? '');
  if (intent === undefined) throw new Error(`Invoice ${invoice.id} has no payment intent`);
  return intent;
}

export function getInvoicePayment(world: World, invoice: Invoice): InvoicePayment {
  for (const payment of world.invoicePayments.newestFirst({ index: 'invoice', key: invoice.id })) {
    if (payment.is_default) return payment;
  }
  throw new Error(`Invoice ${invoice.id} has no payment; it was never finalized or owes nothing`);
}

/** The bank's late answer to a pending debit; true when it paid. */
function settleCharge(attempt: Attempt, charge: Charge, settlesAs: 'succeeded' | Decline): boolean {
  const { world, intent, method } = attempt;
  if (settlesAs === 'succeeded') {
    change(charge, { status: 'succeeded', paid: true, amount_captured: charge.amount });
    markIntentPaid(world, intent, charge);
    return true;
  }
  charge.status = 'failed';
  charge.failure_code = settlesAs.errorCode;
  charge.failure_message = declineMessage(settlesAs);
  markIntentFailed(attempt, settlesAs, charge);
  endMandateAfter(world, method, settlesAs.errorCode);
  return false;
}

/** `Object.assign` that the compiler checks. */
function change<T extends object>(object: T, changes: Partial<T>): void {
  Object.assign(object, changes);
}

interface Attempt {
  world: World;
  intent: PaymentIntent;
  method: PaymentMethod;
}

function askCard(world: World, method: PaymentMethod, amount: number): ChargeAnswer {
  const card = world.cards.get(method.id);
  if (card === undefined) throw new Error(`No behaviour is known for payment method ${method.id}`);
  card.chargeCount += 1;
  return card.behaviour.answer({ chargeNumber: card.chargeCount, at: world.clock.now(), amount });
}

function accept({ world, intent, method }: Attempt): AttemptResult {
  const charge = addCharge({ world, intent, method }, 'succeeded', null);
  markIntentPaid(world, intent, charge);
  return { kind: 'paid' };
}

function markIntentPaid(world: World, intent: PaymentIntent, charge: Charge): void {
  change(intent, {
    status: 'succeeded',
    amount_received: intent.amount,
    latest_charge: charge.id,
    last_payment_error: null,
    next_action: null,
    processing: null,
  });
  publish(world, 'charge.succeeded', charge);
  publish(world, 'payment_intent.succeeded', intent);
}

function decline(attempt: Attempt, details: Decline): AttemptResult {
  const charge = addCharge(attempt, 'failed', details);
  const error = markIntentFailed(attempt, details, charge);
  return { kind: 'failed', error, needsCustomer: details.errorCode === 'authentication_required' };
}

function markIntentFailed(attempt: Attempt, details: Decline, charge: Charge): ApiError {
  const { world, intent, method } = attempt;
  change(intent, {
    status: 'requires_payment_method',
    payment_method: null,
    latest_charge: charge.id,
    next_action: null,
    processing: null,
  });
  const failed = { decline: details, charge, method };
  const { payment_intent: _, ...withoutIntent } = cardError({ ...failed, paymentIntent: intent }).body;
  intent.last_payment_error = withoutIntent;
  publish(world, 'charge.failed', charge);
  publish(world, 'payment_intent.payment_failed', intent);
  return cardError({ ...failed, paymentIntent: intent });
}

function refuseCharge({ world, intent, method }: Attempt, code: string): AttemptResult {
  change(intent, {
    status: 'requires_payment_method',
    payment_method: null,
    next_action: null,
    processing: null,
  });
  const { payment_intent: _, ...withoutIntent } = unchargedError(code, intent, method).body;
  intent.last_payment_error = withoutIntent;
  publish(world, 'payment_intent.payment_failed', intent);
  return { kind: 'failed', error: unchargedError(code, intent, method), needsCustomer: false };
}

function leavePending(attempt: Attempt, answer: Extract<ChargeAnswer, { kind: 'pending' }>): AttemptResult {
  const { world, intent, method } = attempt;
  const { days, hours = 0, settlesAs } = answer;
  const answersAt = world.clock.now().plus({ days, hours }).toMillis();
  if (method.type === 'card') return waitForNotice(attempt, answersAt, settlesAs);
  const charge = addCharge(attempt, 'pending', null);
  change(intent, { status: 'processing', latest_charge: charge.id, next_action: null, processing: null });
  publish(world, 'charge.pending', charge);
  publish(world, 'payment_intent.processing', intent);
  return { kind: 'pending', intent, answersAt, settle: () => settleCharge(attempt, charge, settlesAs) };
}

/** The holder of an Indian card is notified first; there is no charge until then (stripe-facts 5.13). */
function waitForNotice(attempt: Attempt, answersAt: number, settlesAs: 'succeeded' | Decline): AttemptResult {
  const { world, intent } = attempt;
  const notice = { approval_requested: false, completes_at: Math.floor(answersAt / 1000) };
  change(intent, {
    status: 'processing',
    next_action: null,
    processing: { type: 'card', card: { customer_notification: notice } },
  });
  publish(world, 'payment_intent.processing', intent);
  const settle = () => {
    const result = settlesAs === 'succeeded' ? accept(attempt) : decline(attempt, settlesAs);
    return result.kind === 'paid';
  };
  return { kind: 'pending', intent, answersAt, settle };
}

function waitForCustomer({ world, intent, method }: Attempt): AttemptResult {
  intent.status = 'requires_action';
  intent.next_action = { type: 'use_stripe_sdk', use_stripe_sdk: {} };
  publish(world, 'payment_intent.requires_action', intent);
  return { kind: 'failed', error: requiresActionError(intent, method), needsCustomer: true };
}

function addCharge(
  attempt: Attempt,
  status: 'succeeded' | 'failed' | 'pending',
  details: Decline | null,
): Charge {
  const { world, intent, method } = attempt;
  return world.charges.add(
    buildCharge(
      {
        id: world.ids.next(method.type === 'card' ? 'ch' : 'py'),
        created: unixNow(world),
        failure_code: details?.errorCode ?? null,
        failure_message: details && declineMessage(details),
        outcome: outcomeOf(details),
        status,
      },
      { paymentIntent: intent, method, mandate: findMandate(world, method)?.id ?? null },
    ),
  );
}

/** What a charge says about how it went; null means nothing stood against it (stripe-facts 5.1, 5.3). */
function outcomeOf(details: Decline | null): NonNullable<Charge['outcome']> {
  if (details === null) return ACCEPTED;
  const isBlocked = details.outcomeType === 'blocked';
  return {
    advice_code: details.adviceCode,
    network_advice_code: details.networkAdviceCode,
    network_decline_code: details.networkDeclineCode,
    network_status: isBlocked ? 'not_sent_to_network' : 'declined_by_network',
    reason: details.outcomeReason,
    risk_level: isBlocked ? 'highest' : 'normal',
    seller_message: isBlocked ? 'Stripe blocked this payment.' : 'The bank declined the payment.',
    type: details.outcomeType,
  };
}

const ACCEPTED: NonNullable<Charge['outcome']> = {
  advice_code: null,
  network_advice_code: null,
  network_decline_code: null,
  network_status: 'approved_by_network',
  reason: null,
  risk_level: 'normal',
  seller_message: 'Payment complete.',
  type: 'authorized',
};
