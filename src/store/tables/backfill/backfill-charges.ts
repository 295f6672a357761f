/** What a run keeps to find which invoice a charge belongs to, and the charges themselves, a page at a time. */

import type { Queryable } from '../../engine/database.ts';
import { type ChargeRecord, mergeOutcome } from '../sync/charge-records.ts';
import type { PageResult } from './backfill-pages.ts';

export interface PaymentOfInvoice {
  /** A payment intent, or a charge where there is none. */
  payment: string;
  invoiceId: string;
}

export async function recordPayments(
  db: Queryable,
  run: number,
  payments: readonly PaymentOfInvoice[],
): Promise<void> {
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

/** The invoices that these payments are for, of those that the run has seen. */
export async function findPaidInvoices(
  db: Queryable,
  scope: { account: string; run: number },
  payments: readonly string[],
): Promise<PaidInvoice[]> {
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
 * Adds charges, or completes the attempts of ours that made them, as `recordCharge` does. A charge that has an outcome
 * keeps it, so that one is news whenever it was read; what we learned to be a question to the customer stays that.
 */
export async function recordChargePage(
  db: Queryable,
  scope: { account: string; run: number },
  charges: readonly ChargeRecord[],
): Promise<PageResult[]> {
  return db.query<PageResult>(
    `with page as materialized (
       select * from json_to_recordset($3::json) as r(id uuid, invoice_id text, customer_id text,
         subscription_id text, payment_method text, method_type text, brand text, fingerprint text, card_expiry text,
         amount bigint, currency text, charge_id text, payment_intent text, charged_at timestamptz, outcome text, code text, decline_code text,
         advice_code text, network_code text, network_advice text, detail text, message jsonb, version timestamptz)
     ), stored as materialized (
       select t.* from payment_retry.attempts t join page p on p.charge_id = t.charge_id
       where t.account = $1 order by t.charge_id for update of t
     ), judged as materialized (
       select p.*, s.id as known_id, s.version as known_version,
         p.message is not null and (s.message is null or s.outcome is distinct from o.outcome) as is_news,
         o.outcome as final_outcome,
         case when s.id is null then 'added'
           when s.version is not null and s.outcome is not distinct from o.outcome
             and (s.message is not null or p.message is null) then 'equal'
           when s.version is null or s.version <= p.version or p.outcome <> 'pending' then 'repaired'
           else 'equal' end as verdict
       from page p left join stored s on s.charge_id = p.charge_id
       cross join lateral (select ${mergeOutcome('s', 'p')} as outcome) o
     ), changed as (
       update payment_retry.attempts t
       set payment_method = j.payment_method, method_type = j.method_type, brand = j.brand,
           fingerprint = j.fingerprint, card_expiry = j.card_expiry, code = j.code, outcome = j.final_outcome, decline_code = j.decline_code,
           advice_code = j.advice_code, network_code = j.network_code, network_advice = j.network_advice,
           payment_intent = j.payment_intent, detail = j.detail, finished_at = coalesce(t.finished_at, j.charged_at), message = j.message,
           version = greatest(j.version, j.known_version + interval '1 millisecond'),
           backfill_run = case when j.is_news then $2::bigint else t.backfill_run end
       from judged j where t.id = j.known_id and j.verdict = 'repaired'
     ), inserted as (
       insert into payment_retry.attempts (id, account, invoice_id, customer_id, subscription_id, source,
         payment_method, method_type, brand, fingerprint, card_expiry, amount, currency, charge_id, started_at, finished_at,
         outcome, code, decline_code, advice_code, network_code, network_advice, detail, message, version, backfill_run,
         payment_intent)
       select j.id, $1, j.invoice_id, j.customer_id, j.subscription_id, 'stripe', j.payment_method, j.method_type,
         j.brand, j.fingerprint, j.card_expiry, j.amount, j.currency, j.charge_id, j.charged_at, j.charged_at, j.outcome, j.code,
         j.decline_code, j.advice_code, j.network_code, j.network_advice, j.detail, j.message, j.version,
         case when j.is_news then $2::bigint end, j.payment_intent
       from judged j where j.verdict = 'added' order by j.charge_id
       on conflict (account, charge_id) where charge_id is not null do nothing returning charge_id
     )
     select j.charge_id as id, j.is_news,
       case when j.verdict = 'added' and i.charge_id is null then 'contested' else j.verdict end as verdict
     from judged j left join inserted i on i.charge_id = j.charge_id`,
    [scope.account, scope.run, JSON.stringify(charges.map(toRecord))],
  );
}

function toRecord({ result, ...charge }: ChargeRecord): object {
  return {
    id: charge.id,
    invoice_id: charge.invoiceId,
    customer_id: charge.customerId,
    subscription_id: charge.subscriptionId,
    payment_method: charge.paymentMethod,
    method_type: charge.methodType,
    brand: charge.brand,
    fingerprint: charge.fingerprint,
    card_expiry: charge.cardExpiry,
    amount: charge.amount,
    currency: charge.currency,
    charge_id: charge.chargeId,
    payment_intent: charge.paymentIntent,
    charged_at: charge.chargedAt,
    outcome: result.outcome,
    code: result.code,
    decline_code: result.declineCode,
    advice_code: result.adviceCode,
    network_code: result.networkCode,
    network_advice: result.networkAdvice,
    detail: result.detail,
    message: charge.message,
    version: charge.version,
  };
}
