/** Finds the invoices of a run's charges, and stores charges a page at a time. */

import type { Queryable } from '../../../../core/database/database.ts';
import { CHARGES, type ChargeRecord } from '../sync/charge-records.ts';
import type { PageResult } from './backfill-pages.ts';

export interface PaymentOfInvoice {
  /** A payment intent, or a charge without one. */
  payment: string;
  invoiceId: string;
}

export async function recordPayments(db: Queryable, run: number, payments: readonly PaymentOfInvoice[]) {
  await db.query(
    `insert into payment_retry.backfill_payments (run, payment, invoice_id)
     select distinct on (payment) $1::bigint, payment, invoice
     from unnest($2::text[], $3::text[]) as p (payment, invoice) order by payment
     on conflict (run, payment) do nothing`,
    [run, payments.map(({ payment }) => payment), payments.map(({ invoiceId }) => invoiceId)],
  );
}

export interface PaidInvoice extends PaymentOfInvoice {
  customerId: string | null;
  subscriptionId: string | null;
  invoiceStatus: string | null;
  subscriptionStatus: string | null;
}

/** Invoices of these payments, among those that the run has seen. */
export function findPaidInvoices(
  db: Queryable,
  scope: { account: string; run: number },
  payments: readonly string[],
) {
  return db.query<PaidInvoice>(
    `select p.payment, p.invoice_id, i.customer_id,
            i.subscription_id, i.status as invoice_status, s.status as subscription_status
     from payment_retry.backfill_payments p
     left join payment_retry.invoices i on i.account = $1 and i.id = p.invoice_id
     left join payment_retry.subscriptions s on s.account = $1 and s.id = i.subscription_id
     where p.run = $2 and p.payment = any($3::text[])`,
    [scope.account, scope.run, payments],
  );
}

/**
 * Adds charges or completes our attempts, as `recordCharge` does. A final outcome stays, and so does a known confirmation request.
 * A refund on an otherwise equal charge is stored without a new delivery.
 */
export function recordChargePage(
  db: Queryable,
  scope: { account: string; run: number },
  charges: readonly ChargeRecord[],
) {
  const { columns, given, give, outcome, merge, rowOf } = CHARGES;
  return db.query<PageResult>(
    `with page as materialized (${given}), stored as materialized (
       select t.* from payment_retry.attempts t join page p on p.charge_id = t.charge_id
       where t.account = $1 order by t.charge_id for update of t
     ), compared as materialized (
       select p.*, s.id as known_id, s.version as known_version, p.refunded > s.refunded as is_refunded,
         p.message is not null and (s.message is null or s.outcome is distinct from o.outcome) as is_news,
         s.version is not null and s.outcome is not distinct from o.outcome
           and (s.message is not null or p.message is null) as is_equal
       from page p left join stored s on s.charge_id = p.charge_id
       cross join lateral (select ${outcome('s', 'p')} as outcome) o
     ), judged as materialized (
       select *, case when known_id is null then 'added'
           when is_equal then case when is_refunded then 'repaired' else 'equal' end
           when known_version is null or known_version <= version or outcome <> 'pending' then 'repaired'
           else 'equal' end as verdict
       from compared
     ), changed as (
       update payment_retry.attempts t
       set ${merge('t', 'j')},
           version = case when j.is_equal then t.version
             else greatest(j.version, j.known_version + interval '1 millisecond') end,
           backfill_run = case when j.is_news then $3::bigint else t.backfill_run end
       from judged j where t.id = j.known_id and j.verdict = 'repaired'
     ), inserted as (
       insert into payment_retry.attempts (account, source, backfill_run, ${columns.join(', ')})
       select $1, 'stripe', case when j.is_news then $3::bigint end, ${columns.map((name) => `j.${name}`).join(', ')}
       from judged j where j.verdict = 'added' order by j.charge_id
       on conflict (account, charge_id) where charge_id is not null do nothing returning charge_id
     )
     select j.charge_id as id, j.is_news,
       case when j.verdict = 'added' and i.charge_id is null then 'contested' else j.verdict end as verdict
     from judged j left join inserted i on i.charge_id = j.charge_id`,
    [scope.account, give(charges.map(rowOf)), scope.run],
  );
}
