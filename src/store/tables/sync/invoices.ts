import type { DateTime } from 'luxon';
import type { Queryable } from '../../engine/database.ts';
import {
  type Basis,
  basisVersion,
  jsonOrNull,
  type MirrorWrite,
  type VersionSource,
} from '../../engine/mirror-version.ts';
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
  /** It began its subscription. */
  isFirst?: boolean | undefined;
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
  nextAttemptAt: DateTime<true> | null;
}

/** Paid is also one that we have paid since Stripe last told us of it: its webhook may be late. */
export async function findInvoice(
  db: Queryable,
  account: string,
  id: string,
): Promise<StoredInvoice | undefined> {
  const [row] = await db.query<StoredInvoice>(
    `select id, customer_id, subscription_id,
            case when status = 'open' and exists (
              select 1 from payment_retry.attempts paid where paid.account = invoices.account and paid.invoice_id = invoices.id
                and paid.source = 'ours' and paid.outcome = 'paid' and paid.finished_at > invoices.version)
              then 'paid' else status end as status,
            amount_remaining, currency, next_attempt_at
     from payment_retry.invoices where account = $1 and id = $2`,
    [account, id],
  );
  return row;
}

/** As `upsertSubscriptions` does. */
export async function upsertInvoices(
  db: Queryable,
  account: string,
  writes: readonly MirrorWrite<InvoiceRow>[],
): Promise<ReadonlySet<string>> {
  if (writes.length === 0) return new Set();
  const applied = await db.query<{ id: string }>(
    `with given as materialized (
       select id, customer_id, subscription_id, status, amount_remaining, currency, attempt_count, next_attempt_at,
         message::jsonb, version, version_source, unmapped_reason::jsonb, basis, is_first
       from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::integer[],
         $9::timestamptz[], $10::text[], $11::timestamptz[], $12::text[], $13::text[], $14::timestamptz[],
         $15::boolean[])
       as row (id, customer_id, subscription_id, status, amount_remaining, currency, attempt_count, next_attempt_at, message,
         version, version_source, unmapped_reason, basis, is_first))
     insert into payment_retry.invoices (account, id, customer_id, subscription_id, status, amount_remaining, currency,
       attempt_count, next_attempt_at, message, version, version_source, unmapped_reason, is_first)
     select $1, id, customer_id, subscription_id, status, amount_remaining, currency, attempt_count, next_attempt_at, message,
       version, version_source, unmapped_reason, is_first from given order by id
     on conflict (account, id) do update
     set customer_id = excluded.customer_id, subscription_id = excluded.subscription_id, status = excluded.status,
         amount_remaining = excluded.amount_remaining, currency = excluded.currency,
         attempt_count = excluded.attempt_count, next_attempt_at = excluded.next_attempt_at,
         message = excluded.message, version = excluded.version, version_source = excluded.version_source,
         unmapped_reason = excluded.unmapped_reason, is_first = excluded.is_first
     where invoices.version < excluded.version and coalesce(
       (select given.basis from given where given.id = excluded.id), invoices.version) = invoices.version
     returning id`,
    [
      account,
      writes.map(({ row }) => row.id),
      writes.map(({ row }) => row.customerId),
      writes.map(({ row }) => row.subscriptionId ?? null),
      writes.map(({ row }) => row.status),
      writes.map(({ row }) => row.amountRemaining),
      writes.map(({ row }) => row.currency),
      writes.map(({ row }) => row.attemptCount),
      writes.map(({ row }) => row.nextAttemptAt),
      writes.map(({ row }) => jsonOrNull(row.message)),
      writes.map(({ row }) => row.version),
      writes.map(({ row }) => row.versionSource),
      writes.map(({ row }) => jsonOrNull(row.unmappedReason)),
      writes.map(({ basis }) => basisVersion(basis)),
      writes.map(({ row }) => row.isFirst ?? false),
    ],
  );
  return new Set(applied.map(({ id }) => id));
}

/** One of them. */
export async function upsertInvoice(db: Queryable, row: InvoiceRow, basis?: Basis): Promise<boolean> {
  return (await upsertInvoices(db, row.account, [{ row, basis }])).has(row.id);
}

/** By their ids; those that are not known are left out. */
export async function listInvoiceStatuses(
  db: Queryable,
  account: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; status: string }>(
    `select id, status from payment_retry.invoices where account = $1 and id = any($2::text[])`,
    [account, ids],
  );
  return new Map(rows.map(({ id, status }) => [id, status]));
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
