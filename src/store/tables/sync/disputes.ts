import type { DateTime } from 'luxon';
import type { Queryable } from '../../engine/database.ts';

export interface Dispute {
  account: string;
  id: string;
  invoiceId: string;
}

export async function recordDispute(db: Queryable, dispute: Dispute, now: DateTime): Promise<void> {
  await db.query(
    `insert into payment_retry.disputes (account, id, invoice_id, opened_at) values ($1, $2, $3, $4)
     on conflict (account, id) do nothing`,
    [dispute.account, dispute.id, dispute.invoiceId, now.toISO()],
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
