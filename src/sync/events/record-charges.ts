import { randomUUID } from 'node:crypto';
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { readCharge } from '../../clients/charge-facts.ts';
import { idOf } from '../../clients/stripe-client.ts';
import {
  type ChargeRecord,
  listSettledCharges,
  recordCharge,
} from '../../store/tables/sync/charge-records.ts';
import { mapTransaction } from '../map/map-transaction.ts';
import { type EventStep, isOurVersion, wakeDelivery } from '../receive/event-step.ts';
import { isLeftToSignUp } from './left-to-sign-up.ts';

/**
 * Records every attempt on an invoice, Stripe's own included: the networks count them all (stripe-facts 5.10), and the
 * service learns from them. The event only says that something happened; the charges themselves are read.
 */
export const recordCharges: EventStep = async (deps, received) => {
  const snapshot = received.event.data.object;
  if (snapshot.object !== 'invoice' || snapshot.id === undefined)
    return { result: 'ignored: not an invoice' };
  // A snapshot of another version names its subscription elsewhere (stripe-facts 3.3).
  const invoice = isOurVersion(received.event)
    ? snapshot
    : await deps.stripe.findInvoice(received.account, snapshot.id);
  if (!invoice) return { result: 'gone: Stripe no longer has this invoice' };
  const isTold = deps.config.forward.transactions && !(await isLeftToSignUp(deps, received.account, invoice));
  const known = new Set(await listSettledCharges(deps.database, received.account, invoice.id, { isTold }));
  const charges = (await deps.stripe.listCharges(received.account, invoice.id)).filter(
    ({ id }) => !known.has(id),
  );
  if (charges.length === 0) return { result: 'no new charge' };
  const owner = {
    account: received.account,
    invoiceId: invoice.id,
    customerId: idOf(invoice.customer),
    subscriptionId: idOf(invoice.parent?.subscription_details?.subscription),
    observedAt: received.createdAt,
    isTold,
  };
  const records = charges.map((charge) => toChargeRecord(owner, charge));
  return {
    result: `${charges.length} charge(s)`,
    apply: async (tx) => {
      for (const record of records) await recordCharge(tx, record);
      await wakeDelivery(deps, tx, received.account);
    },
  };
};

/** What a charge itself does not say (stripe-facts 3.3). */
export interface ChargeOwner {
  account: string;
  invoiceId: string;
  customerId: string | undefined;
  subscriptionId: string | undefined;
  observedAt: DateTime;
  /** Whether the service hears of it. */
  isTold: boolean;
}

export function toChargeRecord(
  { account, invoiceId, subscriptionId, observedAt, isTold, ...owner }: ChargeOwner,
  charge: Stripe.Charge,
): ChargeRecord {
  const customerId = idOf(charge.customer) ?? owner.customerId;
  const mapped = mapTransaction(charge, {
    invoiceId,
    subscriptionId,
    customerId: customerId ?? '',
    gatewayId: account,
    observedAt,
  });
  return {
    id: randomUUID(),
    account,
    invoiceId,
    customerId,
    subscriptionId,
    ...readCharge(charge),
    message: isTold && mapped.kind === 'message' ? mapped.message : undefined,
    version: observedAt,
  };
}
