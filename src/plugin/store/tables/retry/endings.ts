/** Invoices that the service gave up, and their endings. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { Reason } from '../../../reasons/reason.ts';
import type { InvoiceKey } from './takeovers.ts';

export interface StoredEnding {
  givenUpAt: DateTime<true>;
  /** Time of the request to Stripe; a read shows whether it took effect. */
  startedAt: DateTime<true> | null;
  endedAt: DateTime<true> | null;
}

export function findEnding(db: Queryable, { account, invoiceId }: InvoiceKey) {
  return db.find<StoredEnding>(
    `select given_up_at, started_at, ended_at from payment_retry.endings where account = $1 and invoice_id = $2`,
    [account, invoiceId],
  );
}

/** Records the latest reason. False if an ending has begun: an invoice is ended once. */
export function recordGivenUp(
  db: Queryable,
  { account, invoiceId }: InvoiceKey,
  reason: Reason,
  now: DateTime,
) {
  return db.has(
    `insert into payment_retry.endings (account, invoice_id, given_up_at, reason) values ($1, $2, $3, $4)
     on conflict (account, invoice_id) do update set given_up_at = excluded.given_up_at, reason = excluded.reason
     where endings.started_at is null
     returning invoice_id`,
    [account, invoiceId, now, JSON.stringify(reason)],
  );
}

/** Used when the service or a person resumes the invoice. A begun ending stays. */
export async function forgetGivenUp(db: Queryable, account: string, invoiceIds: readonly string[]) {
  await db.query(
    `delete from payment_retry.endings
     where account = $1 and invoice_id = any($2::text[]) and started_at is null`,
    [account, invoiceIds],
  );
}

/** Recorded before the call to Stripe. */
export async function startEnding(db: Queryable, { account, invoiceId }: InvoiceKey, now: DateTime) {
  await db.query(
    `update payment_retry.endings set started_at = $3
     where account = $1 and invoice_id = $2 and started_at is null`,
    [account, invoiceId, now],
  );
}

/** Used when Stripe did not do it and will not be asked again. */
export async function cancelEnding(db: Queryable, { account, invoiceId }: InvoiceKey) {
  await db.query(
    `update payment_retry.endings set started_at = null
     where account = $1 and invoice_id = $2 and ended_at is null`,
    [account, invoiceId],
  );
}

/** False if it had ended. */
export function finishEnding(db: Queryable, { account, invoiceId }: InvoiceKey, now: DateTime) {
  return db.has(
    `update payment_retry.endings set ended_at = $3
     where account = $1 and invoice_id = $2 and ended_at is null returning invoice_id`,
    [account, invoiceId, now],
  );
}
