import type { DateTime } from 'luxon';
import type { Queryable } from '../../engine/database.ts';
import { type Basis, basisVersion, type VersionSource } from '../../engine/mirror-version.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { Payer } from './payers.ts';

export interface InvoiceRow {
  account: string;
  id: string;
  customerId: string;
  subscriptionId: string | undefined;
  status: string;
  amountRemaining: number;
  currency: string;
  attemptCount: number;
  nextAttemptAt: DateTime | undefined;
  message: object | undefined;
  /** Why there is no message where there should be one. */
  unmappedReason?: Reason | undefined;
  /** Who pays it, if a payment of it failed. */
  payer?: Payer | undefined;
  version: DateTime;
  versionSource: VersionSource;
}

export interface StoredInvoice {
  id: string;
  customerId: string;
  subscriptionId: string | null;
  status: string;
  amountRemaining: number;
  currency: string;
  /** When Stripe tries by itself, as far as its events say. */
  nextAttemptAt: Date | null;
}

export async function findInvoice(
  db: Queryable,
  account: string,
  id: string,
): Promise<StoredInvoice | undefined> {
  const [row] = await db.query<StoredInvoice>(
    `select id, customer_id, subscription_id, status,
            amount_remaining, currency, next_attempt_at
     from payment_retry.invoices where account = $1 and id = $2`,
    [account, id],
  );
  return row;
}

/**
 * Stores a newer state; returns false, and changes nothing, if what is stored is as new or newer, or if it is no longer
 * what `basis` says: then somebody else was faster, and the order of the two does not follow from their versions.
 */
export async function upsertInvoice(db: Queryable, row: InvoiceRow, basis?: Basis): Promise<boolean> {
  const applied = await db.query(
    `insert into payment_retry.invoices (account, id, customer_id, subscription_id, status, amount_remaining, currency,
       attempt_count, next_attempt_at, message, version, version_source,
       unmapped_reason)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, $12, $14)
     on conflict (account, id) do update
     set customer_id = excluded.customer_id, subscription_id = excluded.subscription_id, status = excluded.status,
         amount_remaining = excluded.amount_remaining, currency = excluded.currency,
         attempt_count = excluded.attempt_count, next_attempt_at = excluded.next_attempt_at,
         message = excluded.message, version = excluded.version, version_source = excluded.version_source,
         unmapped_reason = excluded.unmapped_reason
     where invoices.version < excluded.version and ($13::timestamptz is null or invoices.version = $13)
     returning id`,
    [
      row.account,
      row.id,
      row.customerId,
      row.subscriptionId ?? null,
      row.status,
      row.amountRemaining,
      row.currency,
      row.attemptCount,
      row.nextAttemptAt?.toISO() ?? null,
      row.message ? JSON.stringify(row.message) : null,
      row.version.toISO(),
      row.versionSource,
      basisVersion(basis),
      row.unmappedReason ? JSON.stringify(row.unmappedReason) : null,
    ],
  );
  return applied.length > 0;
}

export async function listInvoiceIdsOfSubscription(
  db: Queryable,
  account: string,
  subscriptionId: string,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from payment_retry.invoices where account = $1 and subscription_id = $2`,
    [account, subscriptionId],
  );
  return rows.map((row) => row.id);
}

/** Of a customer, by whichever of these ids the invoices name it. */
export async function listInvoiceIdsOfCustomer(
  db: Queryable,
  account: string,
  customerIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from payment_retry.invoices where account = $1 and customer_id = any($2::text[])`,
    [account, customerIds],
  );
  return rows.map((row) => row.id);
}

/** Whether Stripe collects the invoice no more: it is written off, or its subscription has ended. */
export async function isCollectionOver(db: Queryable, account: string, id: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 as one from payment_retry.invoices i
     left join payment_retry.subscriptions s on s.account = i.account and s.id = i.subscription_id
     where i.account = $1 and i.id = $2
       and (i.status = 'uncollectible' or s.status in ('canceled', 'incomplete_expired'))`,
    [account, id],
  );
  return rows.length > 0;
}
