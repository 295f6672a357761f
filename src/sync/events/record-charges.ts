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
import { type EventStep, type SyncDeps, wakeDelivery } from '../receive/event-step.ts';

/**
 * Records every attempt on an invoice, Stripe's own included: the networks count them all (stripe-facts 5.10), and the
 * service learns from them. The event only says that something happened; the charges themselves are read.
 */
export const recordCharges: EventStep = async (deps, received) => {
  const invoice = received.event.data.object;
  if (invoice.object !== 'invoice' || invoice.id === undefined) return { result: 'ignored: not an invoice' };
  const known = new Set(await listSettledCharges(deps.database, received.account, invoice.id));
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
  };
  const records = charges.map((charge) => toChargeRecord(deps, owner, charge));
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
}

export function toChargeRecord(
  deps: Pick<SyncDeps, 'config'>,
  { account, invoiceId, subscriptionId, observedAt, ...owner }: ChargeOwner,
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
    message: deps.config.forward.transactions && mapped.kind === 'message' ? mapped.message : undefined,
    version: observedAt,
  };
}
