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
