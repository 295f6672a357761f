/** Cards that customers added while an invoice was open. */

import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';

/** The card of the latest change for the invoice, paid or not. */
export function findLatestNewCard(db: Queryable, account: string, invoiceId: string) {
  return db.findValue<string>(
    `select payment_method from payment_retry.actions
     where account = $1 and invoice_id = $2 and cause = 'card_change' and payment_method is not null
     order by created_at desc limit 1`,
    [account, invoiceId],
  );
}

/** Whether the customer or the network changed the card after an attempt. */
export function wasCardChangedSince(db: Queryable, account: string, invoiceId: string, attemptAt: DateTime) {
  return db.has(
    `select 1 from payment_retry.actions where account = $1 and invoice_id = $2 and cause = 'card_change' and created_at >= $3 limit 1`,
    [account, invoiceId, attemptAt],
  );
}

/** Fixes the card of an action at its first attempt: repeated calls must be equal (stripe-facts 3.8). */
export async function bindPaymentMethod(db: Queryable, actionId: string, paymentMethod: string) {
  await db.query(`update payment_retry.actions set payment_method = $2 where id = $1`, [
    actionId,
    paymentMethod,
  ]);
}

export interface CardChangePayments {
  /** Minor units. */
  total: number;
  largest: number;
}

/** Payments with the customer's new cards since then, paid or possibly paid, in one currency. */
export function sumCardChangePayments(
  db: Queryable,
  { account, customerId, currency }: { account: string; customerId: string; currency: string },
  since: DateTime,
) {
  return db.get<CardChangePayments>(
    `select coalesce(sum(attempts.amount), 0)::bigint as total, coalesce(max(attempts.amount), 0) as largest
     from payment_retry.attempts
     join payment_retry.actions on actions.id = attempts.action_id and actions.cause = 'card_change'
     where attempts.account = $1 and attempts.customer_id = $2 and attempts.currency = $3 and attempts.started_at > $4
       and attempts.source = 'ours' and (attempts.outcome is null or attempts.outcome in ('paid', 'pending'))`,
    [account, customerId, currency, since],
  );
}
