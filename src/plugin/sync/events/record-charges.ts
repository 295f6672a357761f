import { randomUUID } from 'node:crypto';
import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { z } from 'zod';
import type { Transaction } from '../../../core/database/database.ts';
import { findNextMethod, isSameMethod, type UsedMethod } from '../../../core/limits/next-method.ts';
import { readCharge } from '../../clients/charge-facts.ts';
import { expanded, idOf, listChosenMethods, subscriptionIdOf } from '../../clients/chosen-methods.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { fingerprintOf } from '../../clients/method-identity.ts';
import { listAttemptsOfInvoice } from '../../store/tables/retry/attempts.ts';
import { findLatestNewCard } from '../../store/tables/retry/card-changes.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import {
  type ChargeRecord,
  isOwnCharge,
  listSettledCharges,
  recordCharge,
  recordRefund,
} from '../../store/tables/sync/charge-records.ts';
import { keepCards } from '../../store/tables/sync/payers.ts';
import { type MappedTransaction, mapTransaction } from '../map/map-transaction.ts';
import { eventObject, reference, word } from './event-object.ts';
import {
  ASKS_STRIPE,
  type AskingStep,
  canAsk,
  type EventPlan,
  type EventStep,
  isOurVersion,
  type ReceivedEvent,
  type SyncDeps,
  wakeDelivery,
} from './event-step.ts';
import { isLeftToSignUp } from './left-to-sign-up.ts';
import { readCards } from './note-payer.ts';

export const INVOICE_PAYMENT = eventObject(
  ['invoice_read'],
  z.object({ object: z.literal('invoice_payment'), id: word, invoice: reference }),
);

/**
 * Records every attempt on an invoice, including Stripe's: networks count all (stripe-facts 5.10), and the service learns from them. The
 * event is only a signal; charges are read.
 */
export const recordCharges: AskingStep = async (deps, received) => {
  const seen = await readCharges(deps, received);
  if ('result' in seen) return seen;
  return seen.fresh.length > 0 ? planCharges(deps, received, seen) : { result: { code: 'no_new_charge' } };
};

/** Records partial payments of open invoices. `invoice.paid` reports the invoice's default payment (stripe-facts 3.15). */
export const recordPartPayment: EventStep = async (deps, received) => {
  const { object } = received.event.data;
  const isPart = object.object === 'invoice_payment' && object.is_default === false;
  if (!isPart) return { result: { code: 'no_new_charge' } };
  return canAsk(deps) ? recordCharges(deps, received) : ASKS_STRIPE;
};

export interface SeenCharges {
  readonly invoice: Stripe.Invoice & { id: string };
  /** Whether the service gets them. */
  readonly isForwarded: boolean;
  readonly all: readonly Stripe.Charge[];
  /** Charges not recorded in a final state yet. */
  readonly fresh: readonly Stripe.Charge[];
  /** Fresh failed charges with a method that is not charged next. */
  readonly others: readonly Stripe.Charge[];
}

/** The charges of the event's invoice, or the result of an event that is about none. */
export async function readCharges(
  deps: SyncDeps,
  { account, event }: ReceivedEvent,
): Promise<SeenCharges | EventPlan> {
  const snapshot = event.data.object;
  const isInvoice = snapshot.object === 'invoice';
  const id = isInvoice ? snapshot.id : snapshot.object === 'invoice_payment' && idOf(snapshot.invoice);
  if (!id) return { result: { code: 'ignored_object', expected: 'invoice' } };
  // A snapshot of another version names its subscription elsewhere (stripe-facts 3.3).
  const invoice = isInvoice && isOurVersion(event) ? snapshot : await deps.stripe.findInvoice(account, id);
  if (!invoice) return { result: { code: 'gone', object: 'invoice' } };
  const isForwarded = deps.config.forward.transactions && !(await isLeftToSignUp(deps, account, invoice));
  const known = new Set(await listSettledCharges(deps.database, account, id, { isForwarded }));
  const all = await deps.stripe.listCharges(account, id);
  const fresh = all.filter(({ id }) => !known.has(id));
  const others = isForwarded ? await findOthers(deps, { account, invoiceId: id }, fresh) : [];
  return { invoice: { ...invoice, id }, isForwarded, all, fresh, others };
}

/** Calls Stripe only if the attempts on an invoice differ in their method. */
async function findOthers(
  deps: Pick<SyncDeps, 'stripe' | 'database'>,
  { account, invoiceId }: { account: string; invoiceId: string },
  fresh: readonly Stripe.Charge[],
): Promise<readonly Stripe.Charge[]> {
  const failed = fresh.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return [];
  const used = [...(await listAttemptsOfInvoice(deps.database, account, invoiceId)), ...failed.map(methodOf)];
  const [first = {}] = used;
  if (used.every((method) => isSameMethod(method, first))) return [];
  return listWithOthers(deps, { account, invoiceId }, failed);
}

/** Charges made with another method than the invoice's next one. */
export async function listWithOthers(
  deps: Pick<SyncDeps, 'stripe' | 'database'>,
  { account, invoiceId }: { account: string; invoiceId: string },
  charges: readonly Stripe.Charge[],
): Promise<readonly Stripe.Charge[]> {
  const invoice = await deps.stripe.findPayableInvoice(account, invoiceId);
  const next = invoice && (await findChargedNext(deps, account, invoice));
  return charges.filter((charge) => next && !isSameMethod(methodOf(charge), next));
}

/** The method to be charged next, by the invoice with its subscription and customer. */
export async function findChargedNext(
  { database }: Pick<SyncDeps, 'database'>,
  account: string,
  invoice: Stripe.Invoice,
): Promise<UsedMethod> {
  const chosen = listChosenMethods(invoice);
  const ids = chosen.flatMap((method) => idOf(method) ?? []);
  const paymentMethod = findNextMethod(ids, await findLatestNewCard(database, account, invoice.id ?? ''));
  const method = expanded(chosen.find((one) => idOf(one) === paymentMethod));
  return {
    paymentMethod,
    fingerprint: method?.object === 'payment_method' ? fingerprintOf(method) : undefined,
  };
}

export function planCharges(
  deps: SyncDeps,
  { account, createdAt }: ReceivedEvent,
  { invoice, isForwarded, all, fresh, others }: SeenCharges,
): EventPlan {
  const owner = {
    account,
    invoiceId: invoice.id,
    customerId: customerIdOf(invoice),
    subscriptionId: subscriptionIdOf(invoice),
    observedAt: createdAt,
    isForwarded,
  };
  const records = fresh.map((charge) =>
    toChargeRecord(deps, { ...owner, isOtherMethod: others.includes(charge) }, charge),
  );
  const cards = readCards(fresh);
  return {
    result: { code: 'charges_recorded', count: fresh.length },
    apply: async (tx) => {
      await keepCards(tx, owner, cards);
      for (const record of records) await recordCharge(tx, record);
      if (isForwarded) await planChoice(deps, tx, owner, { all, fresh });
      await wakeDelivery(deps, tx, account);
    },
  };
}

/** Facts missing from a charge (stripe-facts 3.3). */
export interface ChargeOwner {
  account: string;
  invoiceId: string;
  customerId: string | undefined;
  subscriptionId: string | undefined;
  observedAt: DateTime;
  /** Whether the service gets it. */
  isForwarded: boolean;
  /** Whether it failed with a method that is not charged next. */
  isOtherMethod?: boolean;
}

export function toChargeRecord(
  { logger }: Pick<SyncDeps, 'logger'>,
  { account, invoiceId, subscriptionId, observedAt, isForwarded, isOtherMethod, ...owner }: ChargeOwner,
  charge: Stripe.Charge,
): ChargeRecord {
  const customerId = owner.customerId ?? idOf(charge.customer);
  const mapped = mapTransaction(charge, {
    invoiceId,
    subscriptionId,
    customerId: customerId ?? '',
    gatewayId: account,
    observedAt,
    isOtherMethod,
  });
  if (isForwarded) warnOfDoubts(logger, { account, invoiceId, charge: charge.id }, mapped);
  return {
    id: randomUUID(),
    account,
    invoiceId,
    customerId,
    subscriptionId,
    ...readCharge(charge),
    message: isForwarded && mapped.kind === 'message' ? mapped.message : undefined,
    version: observedAt,
  };
}

function warnOfDoubts(logger: SyncDeps['logger'], fields: object, mapped: MappedTransaction): void {
  if (mapped.kind === 'unmappable')
    logger.warn({ ...fields, reason: mapped.reason }, 'a payment attempt is not forwarded');
  for (const warning of mapped.kind === 'message' ? mapped.warnings : [])
    logger.warn({ ...fields, warning }, 'a payment attempt was mapped with a warning');
}

/**
 * Plans an email after a payment with another method than the failed ones, such as one entered on the invoice's page: Stripe would charge
 * the failing method again at the next renewal. The action checks that again.
 */
async function planChoice(
  deps: Pick<SyncDeps, 'clock' | 'enqueue'>,
  tx: Transaction,
  { account, invoiceId, customerId, subscriptionId }: ChargeOwner,
  { all, fresh }: { all: readonly Stripe.Charge[]; fresh: readonly Stripe.Charge[] },
): Promise<void> {
  const paid = fresh.find(({ status }) => status === 'succeeded');
  const failed = all.filter(({ status }) => status === 'failed');
  if (!paid?.payment_method || subscriptionId === undefined) return;
  if (failed.length === 0 || failed.some((charge) => isSameMethod(methodOf(charge), methodOf(paid)))) return;
  if (await isOwnCharge(tx, { account, invoiceId, chargeId: paid.id })) return;
  const now = deps.clock.now();
  await planAction(deps, tx, {
    account,
    cause: 'paid_otherwise',
    reference: paid.id,
    kind: 'backup_charged_email',
    invoiceId,
    customerId,
    subscriptionId,
    paymentMethod: paid.payment_method,
    createdAt: now,
  });
}

function methodOf({
  payment_method: paymentMethod,
  payment_method_details: details,
}: Stripe.Charge): UsedMethod {
  return { paymentMethod, fingerprint: fingerprintOf(details) };
}

export const CHARGE = eventObject(['charge_read'], z.object({ object: z.literal('charge'), id: word }));
export const REFUND = eventObject(
  ['charge_read'],
  z.object({ object: z.literal('refund'), charge: reference }),
);

/** Refunds reduce the recovered amount (stripe-facts 3.12). The charge itself has the amount. */
export const noteRefund: AskingStep = async (deps, { account, event }) => {
  const { object } = event.data;
  const chargeId =
    object.object === 'charge' ? object.id : object.object === 'refund' ? idOf(object.charge) : undefined;
  if (!chargeId) return { result: { code: 'ignored_object', expected: 'charge' } };
  const charge = await deps.stripe.findCharge(account, chargeId);
  if (!charge) return { result: { code: 'gone', object: 'charge' } };
  const refunded = charge.amount_refunded;
  return {
    result: { code: 'refund_noted', chargeId },
    apply: (tx) => recordRefund(tx, { account, chargeId, refunded, at: DateTime.fromSeconds(event.created) }),
  };
};
