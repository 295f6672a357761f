/** Pages of payments and charges. A charge no longer names its invoice (stripe-facts 3.3), so payments are read before. */
import type Stripe from 'stripe';
import { idOf } from '../../clients/stripe-client.ts';
import { isSignUp } from '../../contract/sign-up.ts';
import {
  findPaidInvoices,
  type PaidInvoice,
  type PaymentOfInvoice,
  recordChargePage,
  recordPayments,
} from '../../store/tables/backfill/backfill-charges.ts';
import { type KnownCard, keepCards } from '../../store/tables/sync/payers.ts';
import type { SyncDeps } from '../events/event-step.ts';
import { readCards } from '../events/note-payer.ts';
import { toChargeRecord } from '../events/record-charges.ts';
import { type PageReader, positionOf, tallyPage } from './read-page.ts';

const nothing = async () => {};

export function createPaymentReader(deps: SyncDeps): PageReader {
  return async ({ id: run, account, perSecond }, range) => {
    const { data, hasMore } = await deps.stripe.listInvoicePayments({ account, perSecond, ...range });
    const payments = data.flatMap(toPayment);
    const size = data.length;
    return {
      last: hasMore ? positionOf(data) : undefined,
      reread: nothing,
      store: async (tx) => {
        if (payments.length > 0) await recordPayments(tx, run, payments);
        return tallyPage(size, []);
      },
    };
  };
}

function toPayment({ invoice, payment }: Stripe.InvoicePayment): PaymentOfInvoice[] {
  const paidBy = idOf(payment.payment_intent) ?? idOf(payment.charge);
  const invoiceId = idOf(invoice);
  return paidBy !== undefined && invoiceId !== undefined ? [{ payment: paidBy, invoiceId }] : [];
}

export function createChargeReader(deps: SyncDeps): PageReader {
  return async (run, range) => {
    const { account, perSecond } = run;
    const scope = { account, run: run.id };
    const observedAt = deps.clock.now();
    const { data, hasMore } = await deps.stripe.listChargesPage({ account, perSecond, ...range });
    const found = await findPaidInvoices(deps.database, scope, data.map(paymentOf));
    const owners = new Map(found.map((owner) => [owner.payment, owner]));
    const cards: [owner: Parameters<typeof keepCards>[1], known: readonly KnownCard[]][] = [];
    const records = data.flatMap((charge) => {
      const owner = owners.get(paymentOf(charge));
      if (!owner) return [];
      cards.push([{ account, customerId: owner.customerId ?? undefined }, readCards([charge])]);
      const { invoiceId, customerId, subscriptionId } = owner;
      return [
        toChargeRecord(
          deps,
          {
            account,
            invoiceId,
            customerId: customerId ?? undefined,
            subscriptionId: subscriptionId ?? undefined,
            observedAt,
            isForwarded: deps.config.forward.transactions && !isLeftToSignUp(deps, owner),
          },
          charge,
        ),
      ];
    });
    const size = data.length;
    return {
      last: hasMore ? positionOf(data) : undefined,
      reread: nothing,
      store: async (tx) => {
        for (const [owner, known] of cards) await keepCards(tx, owner, known);
        return tallyPage(size, await recordChargePage(tx, scope, records));
      },
    };
  };
}

/** Subscriptions and invoices were read right before, so that what is stored decides. */
function isLeftToSignUp({ config }: SyncDeps, { invoiceStatus, subscriptionStatus }: PaidInvoice): boolean {
  if (config.recoverSignUps || invoiceStatus === 'paid') return false;
  return isSignUp(null, subscriptionStatus ?? undefined);
}

function paymentOf(charge: Stripe.Charge): string {
  return idOf(charge.payment_intent) ?? charge.id;
}
