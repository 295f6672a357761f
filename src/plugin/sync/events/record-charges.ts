import { randomUUID } from 'node:crypto';
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import type { Transaction } from '../../../core/database/database.ts';
import { readCharge } from '../../clients/charge-facts.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { fingerprintOf } from '../../clients/method-identity.ts';
import { idOf } from '../../clients/stripe-client.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import {
  type ChargeRecord,
  isOwnCharge,
  listSettledCharges,
  recordCharge,
} from '../../store/tables/sync/charge-records.ts';
import { keepCards } from '../../store/tables/sync/payers.ts';
import { type MappedTransaction, mapTransaction } from '../map/map-transaction.ts';
import {
  type EventPlan,
  type EventStep,
  isOurVersion,
  type ReceivedEvent,
  type SyncDeps,
  wakeDelivery,
} from './event-step.ts';
import { isLeftToSignUp } from './left-to-sign-up.ts';
import { readCards } from './note-payer.ts';

/**
 * Records every attempt on an invoice, Stripe's own included: the networks count them all (stripe-facts 5.10), and the
 * service learns from them. The event only says that something happened; the charges themselves are read.
 */
export const recordCharges: EventStep = async (deps, received) => {
  const seen = await readCharges(deps, received);
  if ('result' in seen) return seen;
  return seen.fresh.length > 0 ? planCharges(deps, received, seen) : { result: { code: 'no_new_charge' } };
};

/** Of a part of an invoice, which stays open. The payment that every invoice has is told by `invoice.paid` (stripe-facts 3.15). */
export const recordPartPayment: EventStep = async (deps, received) => {
  const { object } = received.event.data;
  const isPart = object.object === 'invoice_payment' && object.is_default === false;
  return isPart ? recordCharges(deps, received) : { result: { code: 'no_new_charge' } };
};

export interface SeenCharges {
  readonly invoice: Stripe.Invoice & { id: string };
  /** Whether the service hears of them. */
  readonly isForwarded: boolean;
  readonly all: readonly Stripe.Charge[];
  /** Those that are not recorded in a final state yet. */
  readonly fresh: readonly Stripe.Charge[];
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
  return { invoice: { ...invoice, id }, isForwarded, all, fresh };
}

export function planCharges(
  deps: SyncDeps,
  { account, createdAt }: ReceivedEvent,
  { invoice, isForwarded, all, fresh }: SeenCharges,
): EventPlan {
  const owner = {
    account,
    invoiceId: invoice.id,
    customerId: customerIdOf(invoice),
    subscriptionId: idOf(invoice.parent?.subscription_details?.subscription),
    observedAt: createdAt,
    isForwarded,
  };
  const records = fresh.map((charge) => toChargeRecord(deps, owner, charge));
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

/** What a charge itself does not say (stripe-facts 3.3). */
export interface ChargeOwner {
  account: string;
  invoiceId: string;
  customerId: string | undefined;
  subscriptionId: string | undefined;
  observedAt: DateTime;
  /** Whether the service hears of it. */
  isForwarded: boolean;
}

export function toChargeRecord(
  { logger }: Pick<SyncDeps, 'logger'>,
  { account, invoiceId, subscriptionId, observedAt, isForwarded, ...owner }: ChargeOwner,
  charge: Stripe.Charge,
): ChargeRecord {
  const customerId = owner.customerId ?? idOf(charge.customer);
  const mapped = mapTransaction(charge, {
    invoiceId,
    subscriptionId,
    customerId: customerId ?? '',
    gatewayId: account,
    observedAt,
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

interface Owner {
  readonly account: string;
  readonly invoiceId: string;
  readonly customerId: string | undefined;
  readonly subscriptionId: string | undefined;
}

/**
 * What failed was paid with another method, such as one entered on the invoice's page: Stripe charges the one that failed
 * again at the next renewal, unless its holder is asked which one it should be. Whether that is so is looked at then.
 */
async function planChoice(
  deps: Pick<SyncDeps, 'clock' | 'enqueue'>,
  tx: Transaction,
  { account, invoiceId, ...owner }: Owner,
  { all, fresh }: { all: readonly Stripe.Charge[]; fresh: readonly Stripe.Charge[] },
): Promise<void> {
  const paid = fresh.find(({ status }) => status === 'succeeded');
  const failed = all.filter(({ status }) => status === 'failed');
  if (!paid?.payment_method || owner.subscriptionId === undefined) return;
  if (failed.length === 0 || failed.some((charge) => methodOf(charge) === methodOf(paid))) return;
  if (await isOwnCharge(tx, { account, invoiceId, chargeId: paid.id })) return;
  const now = deps.clock.now();
  await planAction(deps, tx, {
    account,
    cause: 'paid_otherwise',
    reference: paid.id,
    kind: 'backup_charged_email',
    invoiceId,
    ...owner,
    paymentMethod: paid.payment_method,
    dueAt: now,
    createdAt: now,
  });
}

function methodOf({ payment_method: id, payment_method_details: details }: Stripe.Charge): string | null {
  return fingerprintOf(details) ?? id;
}
