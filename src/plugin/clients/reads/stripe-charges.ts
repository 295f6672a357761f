/** Reads of charges. */
import type Stripe from 'stripe';
import { idOf } from '../chosen-methods.ts';
import { ifAllowed, orUndefined } from '../stripe-refusals.ts';

/** Events of a new charge, and the seconds until they may arrive. */
const CHARGE_EVENTS = ['charge.succeeded', 'charge.failed', 'charge.pending'] as const;
const MADE_WITHIN_SECONDS = 60;
/** Prefix of attempts outside Stripe. */
const RECORDED = 'par_';

export function createStripeCharges(stripe: Stripe, on: (account: string) => Stripe.RequestOptions) {
  return {
    /** All charges for an invoice, oldest first, with payments outside Stripe (stripe-facts 3.15). Charges do not name their invoice (stripe-facts 3.3). */
    listCharges: async (account: string, invoiceId: string): Promise<Stripe.Charge[]> => {
      const options = on(account);
      const paid = await stripe.invoicePayments
        .list({ invoice: invoiceId, limit: 100 }, options)
        .autoPagingToArray({ limit: 1_000 });
      const intents = new Set(paid.flatMap((payment) => idOf(payment.payment.payment_intent) ?? []));
      const charges: Stripe.Charge[] = [];
      for (const intent of intents) {
        const list = stripe.charges.list({ payment_intent: intent, limit: 100 }, options);
        charges.push(...(await list.autoPagingToArray({ limit: 1_000 })));
      }
      const records = new Set(paid.flatMap((payment) => idOf(payment.payment.payment_record) ?? []));
      for (const record of records) charges.push(...(await readRecordedAttempts(stripe, record, options)));
      return charges.sort((left, right) => left.created - right.created);
    },

    /**
     * Idempotency keys of the calls that made the charges; null for Stripe's own and the Dashboard's. Only the event of a charge's creation has
     * it (stripe-facts 1.3).
     */
    findRequestKeys: async (
      account: string,
      charges: readonly Stripe.Charge[],
    ): Promise<ReadonlyMap<string, string | null>> => {
      const times = charges.map(({ created }) => created);
      if (times.length === 0) return new Map();
      const created = { gte: Math.min(...times) - 1, lte: Math.max(...times) + MADE_WITHIN_SECONDS };
      const events = await stripe.events
        .list({ types: [...CHARGE_EVENTS], created, limit: 100 }, on(account))
        .autoPagingToArray({ limit: 10_000 });
      // Newest first: the first of several events about a charge counts.
      return new Map(
        events.flatMap(({ data, request }) => {
          const made = data.object;
          return made.object === 'charge' ? [[made.id, request?.idempotency_key ?? null] as const] : [];
        }),
      );
    },

    /** Finds a charge, or an attempt outside Stripe, by id. */
    findCharge: async (account: string, id: string): Promise<Stripe.Charge | undefined> => {
      if (!id.startsWith(RECORDED)) return orUndefined(() => stripe.charges.retrieve(id, {}, on(account)));
      const record = await ifAllowed(() => stripe.paymentAttemptRecords.retrieve(id, {}, on(account)));
      return record && asCharge(record)[0];
    },

    /** Disputes of a charge; none if the key may not read them. */
    listDisputes: async (account: string, charge: string): Promise<Stripe.Dispute[]> => {
      const list = () => stripe.disputes.list({ charge, limit: 100 }, on(account));
      return (await ifAllowed(list))?.data ?? [];
    },

    /** The invoice that a payment intent pays. */
    findInvoiceOfPaymentIntent: async (account: string, intent: string): Promise<string | undefined> => {
      const list = await stripe.invoicePayments.list(
        { payment: { type: 'payment_intent', payment_intent: intent }, limit: 1 },
        on(account),
      );
      return idOf(list.data[0]?.invoice);
    },
  };
}

/** Attempts of a payment outside Stripe; none if the key may not read them (stripe-facts 3.15). */
export async function readRecordedAttempts(
  stripe: Stripe,
  record: string,
  options: Stripe.RequestOptions,
): Promise<Stripe.Charge[]> {
  const list = () => stripe.paymentAttemptRecords.list({ payment_record: record }, options);
  return ((await ifAllowed(list))?.data ?? []).flatMap(asCharge);
}

/** Another processor's attempt in the form of a charge; none if canceled. */
function asCharge(record: Stripe.PaymentAttemptRecord): Stripe.Charge[] {
  const { amount, amount_canceled, amount_failed, amount_guaranteed, amount_refunded } = record;
  if (amount_canceled.value > 0) return [];
  const isPaid = amount_guaranteed.value > 0;
  const charge: object = {
    id: record.id,
    object: 'charge',
    created: record.created,
    livemode: record.livemode,
    amount: amount.value,
    amount_refunded: amount_refunded.value,
    currency: amount.currency,
    customer: record.customer_details?.customer ?? null,
    status: isPaid ? 'succeeded' : amount_failed.value > 0 ? 'failed' : 'pending',
    paid: isPaid,
    disputed: false,
    failure_code: null,
    failure_message: null,
    outcome: null,
    payment_method: record.payment_method_details?.payment_method ?? null,
    payment_method_details: record.payment_method_details,
  };
  return [charge as Stripe.Charge];
}
