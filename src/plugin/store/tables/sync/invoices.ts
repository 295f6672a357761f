import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { describeMirror, MIRROR_TABLES, type MirrorRow } from './mirrors.ts';
import type { Payer } from './payers.ts';

export interface InvoiceRow extends MirrorRow {
  /** Stripe's number; drafts have none. */
  number?: string | undefined;
  subscriptionId: string | undefined;
  amountRemaining: number;
  amountDue?: number | undefined;
  currency: string;
  attemptCount: number;
  nextAttemptAt: DateTime | undefined;
  /** The first invoice of its subscription. */
  isFirst: boolean;
  /** Fields that changed in the last message, if there is no new one. */
  ending?: object | undefined;
  /** Set if a payment failed. */
  payer?: Payer | undefined;
}

export const INVOICES = describeMirror<Exclude<keyof InvoiceRow, keyof MirrorRow | 'payer' | 'ending'>>({
  name: MIRROR_TABLES.invoices,
  columns: {
    number: 'text',
    subscriptionId: 'text',
    amountRemaining: 'bigint',
    amountDue: 'bigint',
    currency: 'text',
    attemptCount: 'integer',
    nextAttemptAt: 'timestamptz',
    isFirst: 'boolean',
  },
  message: 'coalesce(p.message, s.message || p.ending)',
  isKept: 'false',
});

export interface StoredInvoice {
  id: string;
  customerId: string;
  subscriptionId: string | null;
  status: string;
  amountRemaining: number;
  currency: string;
  /** Stripe's own next attempt, as its events report it. */
  nextAttemptAt: DateTime<true> | null;
}

/** `paid` includes our payment that Stripe's webhook has not confirmed yet. */
export function findInvoice(db: Queryable, account: string, id: string) {
  return db.find<StoredInvoice>(
    `select id, customer_id, subscription_id,
            case when status = 'open' and exists (
              select 1 from payment_retry.attempts paid where paid.account = invoices.account and paid.invoice_id = invoices.id
                and paid.source = 'ours' and paid.outcome = 'paid' and paid.finished_at > invoices.version)
              then 'paid' else status end as status,
            amount_remaining, currency, next_attempt_at
     from payment_retry.invoices where account = $1 and id = $2`,
    [account, id],
  );
}

/** Statuses by id; unknown invoices are left out. */
export async function listInvoiceStatuses(db: Queryable, account: string, ids: readonly string[]) {
  const rows = await db.query<{ id: string; status: string }>(
    `select id, status from payment_retry.invoices where account = $1 and id = any($2::text[])`,
    [account, ids],
  );
  return new Map(rows.map(({ id, status }) => [id, status]));
}

export function listInvoiceIdsOfSubscription(db: Queryable, account: string, subscriptionId: string) {
  return db.listValues<string>(
    `select id from payment_retry.invoices where account = $1 and subscription_id = $2`,
    [account, subscriptionId],
  );
}

/** Invoices that name a customer by one of these ids. */
export function listInvoiceIdsOfCustomer(db: Queryable, account: string, customerIds: readonly string[]) {
  return db.listValues<string>(
    `select id from payment_retry.invoices where account = $1 and customer_id = any($2::text[])`,
    [account, customerIds],
  );
}

/** Whether collection has ended: written off, or its subscription canceled. */
export function isCollectionOver(db: Queryable, account: string, id: string) {
  return db.has(
    `select 1 as one from payment_retry.invoices i
     left join payment_retry.subscriptions s on s.account = i.account and s.id = i.subscription_id
     where i.account = $1 and i.id = $2
       and (i.status = 'uncollectible' or s.status in ('canceled', 'incomplete_expired'))`,
    [account, id],
  );
}
