import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import { toFailedTransaction } from '../../../core/contract/failed-transaction.ts';
import { isSameMethod } from '../../../core/limits/next-method.ts';
import { idOf, subscriptionIdOf } from '../../clients/chosen-methods.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { type ChargeRecord, recordCharge } from '../../store/tables/sync/charge-records.ts';
import { type AskingStep, type ReceivedEvent, wakeDelivery } from './event-step.ts';
import { isLeftToSignUp } from './left-to-sign-up.ts';
import { findChargedNext } from './record-charges.ts';

/** The decline code of a required confirmation (stripe-facts 5.4). */
const CODE = 'authentication_required';

/**
 * Records a payment that waits for the customer's confirmation and has no charge (stripe-facts 3.7), under its payment intent's id,
 * so that the service asks for the confirmation. The confirmed charge is another transaction.
 */
export const recordCustomerAction: AskingStep = async (deps, received) => {
  const { account, event } = received;
  const invoice = event.data.object;
  if (invoice.object !== 'invoice' || invoice.id === undefined)
    return { result: { code: 'ignored_object', expected: 'invoice' } };
  const current = await deps.stripe.findPayableInvoice(account, invoice.id);
  const intent = current && findWaitingIntent(current);
  if (!intent) return { result: { code: 'customer_not_awaited' } };
  const isForwarded = deps.config.forward.transactions && !(await isLeftToSignUp(deps, account, current));
  const paymentMethod = idOf(intent.payment_method);
  const next = paymentMethod && (await findChargedNext(deps, account, current));
  const isOtherMethod = next && !isSameMethod({ paymentMethod }, next);
  const record = toRecord(received, current, intent);
  const message = isOtherMethod && record.message ? { ...record.message, isOtherMethod } : record.message;
  return {
    result: { code: 'customer_awaited', paymentIntent: intent.id },
    apply: async (tx) => {
      await recordCharge(tx, { ...record, message: isForwarded ? message : undefined });
      await wakeDelivery(deps, tx, account);
    },
  };
};

function findWaitingIntent(invoice: Stripe.Invoice): Stripe.PaymentIntent | undefined {
  for (const { payment } of invoice.payments?.data ?? []) {
    const intent = payment.payment_intent;
    if (typeof intent === 'object' && intent?.status === 'requires_action') return intent;
  }
  return undefined;
}

function toRecord(
  { account, createdAt }: ReceivedEvent,
  invoice: Stripe.Invoice,
  intent: Stripe.PaymentIntent,
): ChargeRecord {
  const shared = {
    account,
    invoiceId: invoice.id,
    customerId: customerIdOf(invoice),
    subscriptionId: subscriptionIdOf(invoice),
    amount: intent.amount,
    currency: intent.currency,
  };
  return {
    ...shared,
    id: randomUUID(),
    chargeId: intent.id,
    chargedAt: createdAt,
    paymentMethod: idOf(intent.payment_method),
    methodType: undefined,
    brand: undefined,
    fingerprint: undefined,
    cardExpiry: undefined,
    result: { outcome: 'requires_action', declineCode: CODE },
    message: toFailedTransaction({
      ...shared,
      id: intent.id,
      at: createdAt,
      status: intent.status,
      codes: { code: CODE },
      method: { type: intent.payment_method_types[0] },
    }),
    version: createdAt,
  };
}
