import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { InvoiceKey } from '../retry/takeovers.ts';

export interface Dispute {
  account: string;
  id: string;
  invoiceId: string;
  /** Stripe's reason (stripe-facts 5.12, 5.14). */
  reason: string;
  status: string;
  amount: number;
}

/** Final states of a dispute or an inquiry. */
const ENDS: ReadonlySet<string> = new Set(['won', 'lost', 'warning_closed']);

/** A final state stays, since events come in any order; but an appeal can win a lost dispute (stripe-facts 5.14). */
export async function recordDispute(db: Queryable, dispute: Dispute, now: DateTime) {
  const { account, id, invoiceId, reason, status, amount } = dispute;
  await db.query(
    `insert into payment_retry.disputes (account, id, invoice_id, reason, status, amount, opened_at, closed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (account, id) do update
       set status = excluded.status, amount = excluded.amount, closed_at = excluded.closed_at
       where disputes.closed_at is null or disputes.status = 'lost' and excluded.status = 'won'`,
    [account, id, invoiceId, reason, status, amount, now, ENDS.has(status) ? now : null],
  );
}

/** Whether a payment of the invoice was disputed, ever or after `since`. */
export function isDisputed(db: Queryable, account: string, invoiceId: string, since?: DateTime<true>) {
  return db.has(
    `select 1 as one from payment_retry.disputes
     where account = $1 and invoice_id = $2 and ($3::timestamptz is null or opened_at > $3) limit 1`,
    [account, invoiceId, since],
  );
}

export interface PayersDispute {
  readonly id: string;
  readonly reason: string;
  /** The reason says that the merchant is wrong, so a person decides (stripe-facts 5.12). */
  readonly asksPerson: boolean;
}

/** Reasons for which nothing is owed, unless the merchant wins. */
const OWES_NOTHING = `('subscription_canceled', 'credit_not_processed', 'duplicate')`;

/** The payer's dispute of any invoice: one that a person must decide first, else an open one. A release decides earlier ones. */
export function findPayersDispute(
  db: Queryable,
  { account, invoiceId }: InvoiceKey,
  releasedAt: DateTime<true> | undefined,
) {
  return db.find<PayersDispute>(
    `select d.id, d.reason, d.reason in ${OWES_NOTHING} as asks_person from payment_retry.disputes d
     join payment_retry.invoices other on other.account = d.account and other.id = d.invoice_id
     join payment_retry.invoices i on i.account = d.account and i.id = $2 and i.customer_id = other.customer_id
     where d.account = $1 and ($3::timestamptz is null or d.opened_at > $3)
       and (d.closed_at is null or d.status = 'lost' and d.reason in ${OWES_NOTHING})
     order by asks_person desc, d.opened_at desc limit 1`,
    [account, invoiceId, releasedAt],
  );
}

/** Whether a payment of any of the customer's invoices was disputed. */
export function hasDisputed(db: Queryable, account: string, customerId: string) {
  return db.has(
    `select 1 as one from payment_retry.disputes
     join payment_retry.invoices on invoices.account = disputes.account and invoices.id = disputes.invoice_id
     where disputes.account = $1 and invoices.customer_id = $2 limit 1`,
    [account, customerId],
  );
}
