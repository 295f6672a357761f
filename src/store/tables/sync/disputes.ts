import type { DateTime } from 'luxon';
import type { Queryable } from '../../engine/database.ts';

export interface Dispute {
  account: string;
  id: string;
  invoiceId: string;
  /** Stripe's (stripe-facts 5.12, 5.14). */
  reason: string;
  status: string;
  /** Minor units. */
  amount: number;
}

/** What a dispute or an inquiry ends with. */
const ENDS: ReadonlySet<string> = new Set(['won', 'lost', 'warning_closed']);

/** One that has ended stays so: events come in any order. */
export async function recordDispute(db: Queryable, dispute: Dispute, now: DateTime): Promise<void> {
  const { account, id, invoiceId, reason, status, amount } = dispute;
  await db.query(
    `insert into payment_retry.disputes (account, id, invoice_id, reason, status, amount, opened_at, closed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (account, id) do update
       set status = excluded.status, amount = excluded.amount, closed_at = excluded.closed_at
       where disputes.closed_at is null`,
    [account, id, invoiceId, reason, status, amount, now.toISO(), ENDS.has(status) ? now.toISO() : null],
  );
}

/** Whether the customer disputed a payment of the invoice, ever or after `since`. */
export async function isDisputed(
  db: Queryable,
  account: string,
  invoiceId: string,
  since?: Date,
): Promise<boolean> {
  const rows = await db.query(
    `select 1 as one from payment_retry.disputes
     where account = $1 and invoice_id = $2 and ($3::timestamptz is null or opened_at > $3) limit 1`,
    [account, invoiceId, since?.toISOString() ?? null],
  );
  return rows.length > 0;
}

/** Whether a payment of any invoice of the customer was ever disputed. */
export async function hasDisputed(db: Queryable, account: string, customerId: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 as one from payment_retry.disputes
     join payment_retry.invoices on invoices.account = disputes.account and invoices.id = disputes.invoice_id
     where disputes.account = $1 and invoices.customer_id = $2 limit 1`,
    [account, customerId],
  );
  return rows.length > 0;
}
