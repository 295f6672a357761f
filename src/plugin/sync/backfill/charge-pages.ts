/** Pages of payments and charges. Charges do not name their invoice (stripe-facts 3.3), so payments are read first. */
import type Stripe from 'stripe';
import { isSignUp } from '../../../core/contract/sign-up.ts';
import type { Queryable, Transaction } from '../../../core/database/database.ts';
import { idOf } from '../../clients/chosen-methods.ts';
import {
  findPaidInvoices,
  type PaidInvoice,
  type PaymentOfInvoice,
  recordChargePage,
  recordPayments,
} from '../../store/tables/backfill/backfill-charges.ts';
import type { PageResult } from '../../store/tables/backfill/backfill-pages.ts';
import type { BackfillRun } from '../../store/tables/backfill/backfill-runs.ts';
import { recordSeen } from '../../store/tables/backfill/backfill-unseen.ts';
import type { ChargeRecord } from '../../store/tables/sync/charge-records.ts';
import { keepCards } from '../../store/tables/sync/payers.ts';
import type { SyncDeps } from '../events/event-step.ts';
import { keepDispute, keepWarning } from '../events/note-fraud.ts';
import { readCards } from '../events/note-payer.ts';
import { listWithOthers, toChargeRecord } from '../events/record-charges.ts';
import { type PageReader, positionOf, refuseContested } from './read-page.ts';

/** Payments outside Stripe have no charge: their attempts are read with the payments (stripe-facts 3.15). */
export function createPaymentReader(deps: SyncDeps): PageReader {
  return async (run, range) => {
    const { id, account, perSecond } = run;
    const { data, hasMore } = await deps.stripe.listInvoicePayments({ account, perSecond, ...range });
    const recorded = await deps.stripe.listRecordedAttempts({ account, perSecond }, data);
    const attempts = recorded.map(({ attempt }) => attempt);
    const payments = [
      ...data.flatMap(toPayment),
      ...recorded.map(({ attempt, invoiceId }) => ({ payment: paymentOf(attempt), invoiceId })),
    ];
    return {
      last: hasMore ? positionOf(data) : undefined,
      size: data.length + attempts.length,
      note: async (tx) => {
        if (payments.length > 0) await recordPayments(tx, id, payments);
      },
      store: async (tx) => {
        if (attempts.length === 0) return [];
        return storeCharges(tx, { account, run: id }, await readCharges(deps, run, attempts, tx));
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
    const { data, hasMore } = await deps.stripe.listChargesPage({ account, perSecond, ...range });
    const read = await readCharges(deps, run, data);
    const ids = data.map(({ id }) => id);
    return {
      last: hasMore ? positionOf(data) : undefined,
      size: data.length,
      note: async (tx) => {
        if (run.kind === 'verification') await recordSeen(tx, run.id, ids);
      },
      store: (tx) => storeCharges(tx, { account, run: run.id }, read),
    };
  };
}

/** Reads early fraud warnings: their cards are not charged, as after a fraud dispute (stripe-facts 5.12). */
export function createWarningReader(deps: SyncDeps): PageReader {
  return async (run, range) => {
    const { account, perSecond } = run;
    const { data, hasMore } = await deps.stripe.listFraudWarnings({ account, perSecond, ...range });
    return {
      last: hasMore ? positionOf(data) : undefined,
      size: data.length,
      store: async (tx) => {
        for (const warning of data) await keepWarning(tx, account, warning);
        return [];
      },
    };
  };
}

export interface ReadCharges {
  readonly records: readonly ChargeRecord[];
  /** Stores their cards and disputes: disputing customers are not charged again. */
  readonly keep?: (tx: Transaction) => Promise<void>;
}

/** Keeps the charges that pay an invoice read by the run. */
export async function readCharges(
  deps: SyncDeps,
  { id, account, kind, perSecond }: BackfillRun,
  charges: readonly Stripe.Charge[],
  db: Queryable = deps.database,
): Promise<ReadCharges> {
  const observedAt = deps.clock.now();
  const found = await findPaidInvoices(db, { account, run: id }, charges.map(paymentOf));
  const owners = new Map(found.map((owner) => [owner.payment, owner]));
  const paying = charges.flatMap((charge) => {
    const owner = owners.get(paymentOf(charge));
    if (!owner) return [];
    const { invoiceId, customerId, subscriptionId } = owner;
    const known = { customerId: customerId ?? undefined, subscriptionId: subscriptionId ?? undefined };
    const isForwarded = deps.config.forward.transactions && !isLeftToSignUp(deps, owner);
    return [{ charge, owner, of: { account, invoiceId, ...known, observedAt, isForwarded } }];
  });
  // A verification rolls its writes back.
  const isKept = kind !== 'verification';
  const disputes = new Map<Stripe.Charge, readonly Stripe.Dispute[]>();
  for (const { charge } of paying)
    if (charge.disputed && isKept) {
      const list = () => deps.stripe.listDisputes(account, charge.id);
      disputes.set(charge, await deps.stripe.atPace('disputes', perSecond, list));
    }
  const forwarded = paying.filter(({ of }) => isKept && of.isForwarded);
  const others = await findOthers(deps, { account, perSecond }, forwarded);
  return {
    keep: async (tx) => {
      for (const { charge, of } of paying) {
        await keepCards(tx, of, readCards([charge]));
        for (const dispute of disputes.get(charge) ?? []) await keepDispute(tx, { ...of, charge }, dispute);
      }
    },
    records: paying.map(({ charge, of }) =>
      toChargeRecord(deps, { ...of, isOtherMethod: others.includes(charge) }, charge),
    ),
  };
}

/** Failed charges of open invoices with a method that is not charged next. One request an invoice: later pages may have its other charges. */
async function findOthers(
  deps: SyncDeps,
  { account, perSecond }: Pick<BackfillRun, 'account' | 'perSecond'>,
  paying: readonly { readonly charge: Stripe.Charge; readonly owner: PaidInvoice }[],
): Promise<Stripe.Charge[]> {
  const failed = new Map<string, Stripe.Charge[]>();
  for (const { charge, owner } of paying)
    if (charge.status === 'failed' && owner.invoiceStatus === 'open')
      failed.set(owner.invoiceId, [...(failed.get(owner.invoiceId) ?? []), charge]);
  const others: Stripe.Charge[] = [];
  for (const [invoiceId, charges] of failed) {
    const list = () => listWithOthers(deps, { account, invoiceId }, charges);
    others.push(...(await deps.stripe.atPace('invoice', perSecond, list)));
  }
  return others;
}

/** Throws ContestedPageError. */
export async function storeCharges(
  tx: Transaction,
  scope: { account: string; run: number },
  { records, keep }: ReadCharges,
): Promise<PageResult[]> {
  await keep?.(tx);
  const results = await recordChargePage(tx, scope, records);
  refuseContested(results);
  return results;
}

/** Stored statuses suffice: subscriptions and invoices were read just before. */
function isLeftToSignUp({ config }: SyncDeps, { invoiceStatus, subscriptionStatus }: PaidInvoice): boolean {
  if (config.recoverSignUps || invoiceStatus === 'paid') return false;
  return isSignUp(null, subscriptionStatus ?? undefined);
}

function paymentOf(charge: Stripe.Charge): string {
  return idOf(charge.payment_intent) ?? charge.id;
}
