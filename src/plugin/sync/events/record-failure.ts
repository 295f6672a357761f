import { randomUUID } from 'node:crypto';
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { isAttemptKey } from '../../../core/contract/attempt-key.ts';
import { toFailedTransaction } from '../../../core/contract/failed-transaction.ts';
import { isSameMethod } from '../../../core/limits/next-method.ts';
import { subscriptionIdOf } from '../../clients/chosen-methods.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { expiryOf, fingerprintOf } from '../../clients/method-identity.ts';
import { type ChargeRecord, recordCharge } from '../../store/tables/sync/charge-records.ts';
import {
  type AskingStep,
  type EventPlan,
  type ReceivedEvent,
  type SyncDeps,
  wakeDelivery,
} from './event-step.ts';
import { findChargedNext, planCharges, readCharges, type SeenCharges } from './record-charges.ts';
import { readUnchargedFailure, type UnchargedFailure } from './uncharged-failure.ts';

/** Records a failed attempt by its charge, or without one by the invoice: a renewal without a payment method has none. */
export const recordFailure: AskingStep = async (deps, received) => {
  const seen = await readCharges(deps, received);
  if ('result' in seen) return seen;
  return seen.fresh.length > 0 ? planCharges(deps, received, seen) : recordUncharged(deps, received, seen);
};

async function recordUncharged(
  deps: SyncDeps,
  { account, event, createdAt }: ReceivedEvent,
  { invoice: { id }, isForwarded, all }: SeenCharges,
): Promise<EventPlan> {
  if (isAttemptKey(event.request?.idempotency_key)) return { result: { code: 'own_attempt' } };
  const invoice = await deps.stripe.findPayableInvoice(account, id);
  const failure = invoice && readUnchargedFailure(invoice, all);
  if (!failure) return { result: { code: 'no_new_charge' } };
  const found = { account, invoice, failure, failedAt: createdAt, version: createdAt, isForwarded };
  const { method } = failure;
  const tried = method && { paymentMethod: method.id, fingerprint: fingerprintOf(method) };
  const isOtherMethod = tried && !isSameMethod(tried, await findChargedNext(deps, account, invoice));
  const record = toUnchargedRecord({ ...found, isOtherMethod });
  return {
    result: { code: 'failure_recorded', failure: failure.declineCode ?? failure.code },
    apply: async (tx) => {
      await recordCharge(tx, record);
      await wakeDelivery(deps, tx, account);
    },
  };
}

/** Record of an attempt without a charge, under an id of our own. */
export function toUnchargedRecord(found: {
  account: string;
  invoice: Stripe.Invoice;
  failure: UnchargedFailure;
  failedAt: DateTime;
  version: DateTime;
  /** Whether the service gets it. */
  isForwarded: boolean;
  /** Whether it was made with a method that is not charged next. */
  isOtherMethod?: boolean | undefined;
}): ChargeRecord {
  const { account, invoice, failure, failedAt, version, isForwarded, isOtherMethod } = found;
  const { id: chargeId, paymentIntent, code, declineCode, adviceCode, method } = failure;
  const card = method?.card;
  const shared = {
    account,
    invoiceId: invoice.id,
    customerId: customerIdOf(invoice),
    subscriptionId: subscriptionIdOf(invoice),
    amount: invoice.amount_remaining,
    currency: invoice.currency,
  };
  const looks = { type: method?.type, brand: card?.brand, fingerprint: fingerprintOf(method) };
  const message = toFailedTransaction({
    ...shared,
    id: chargeId,
    at: failedAt,
    status: 'requires_payment_method',
    codes: { code, declineCode, adviceCode },
    method: { ...looks, country: card?.country ?? undefined, funding: card?.funding },
  });
  return {
    ...shared,
    id: randomUUID(),
    chargeId,
    paymentIntent,
    chargedAt: failedAt,
    paymentMethod: method?.id,
    methodType: looks.type,
    brand: looks.brand,
    fingerprint: looks.fingerprint,
    cardExpiry: expiryOf(method),
    result: { outcome: 'declined', code, declineCode, adviceCode },
    message: isForwarded && message ? { ...message, ...(isOtherMethod ? { isOtherMethod } : {}) } : undefined,
    version,
  };
}
