/** Emails that are due and not planned: first notices, and those before a renewal without a usable method. */
import type { DateTime } from 'luxon';
import { toIsoSeconds } from '../../../../core/base/clock.ts';
import type { Queryable } from '../../../../core/database/database.ts';
import { SERIES } from '../../../actions/action-kinds.ts';

export interface Unannounced {
  account: string;
  invoiceId: string;
  customerId: string | null;
  subscriptionId: string | null;
  isPaymentDue: boolean;
}

/** Open invoices that failed first in the period, without an email or a planned notice. Payments count as due until `paymentsUntil`. */
export function listUnannounced(
  db: Queryable,
  { from, to, paymentsUntil, limit }: Record<'from' | 'to' | 'paymentsUntil', DateTime> & { limit: number },
) {
  return db.query<Unannounced>(
    `select f.account, f.invoice_id, f.customer_id, f.subscription_id,
       exists (select from payment_retry.actions a
         where a.account = f.account and a.customer_id = f.customer_id and a.kind = 'pay'
           and a.state in ('scheduled', 'running') and a.due_at <= $5) as is_payment_due
     from payment_retry.failures f
     where f.state = 'open' and f.failed_at >= $1 and f.failed_at <= $2
       and not payment_retry.is_forgotten(f.account, f.customer_id)
       and not exists (select from payment_retry.emails e
         where e.account = f.account and e.named @> array[f.invoice_id] and e.state = 'sent' and e.template = any($3))
       and not exists (select from payment_retry.actions a
         where a.account = f.account and a.invoice_id = f.invoice_id and a.cause = 'first_notice')
     order by f.failed_at, f.invoice_id limit $4`,
    [from, to, SERIES, limit, paymentsUntil],
  );
}

export interface ExpiringCard {
  account: string;
  subscriptionId: string;
  customerId: string | null;
  /** The lost method and the expiry of the last paying card (`2030-04`), if any. */
  lost: string;
}

/** Renewals in the period without a usable method, by the last payment and lost methods. The action reads the card again. */
export function listExpiringCards(
  db: Queryable,
  { from, to, limit }: { from: DateTime; to: DateTime; limit: number },
) {
  return db.query<ExpiringCard>(
    `select s.account, s.id as subscription_id, s.customer_id,
       concat_ws(' ', s.lost_method, last.card_expiry) as lost
     from payment_retry.subscriptions s
     left join lateral (
       select a.card_expiry from payment_retry.attempts a
       where a.account = s.account and a.subscription_id = s.id and a.outcome = 'paid'
       order by a.started_at desc limit 1) as last on true
     where s.status in ('active', 'trialing') and s.message->>'expiresAt' between $1 and $2
       and case when s.lost_method is not null then true when last.card_expiry is null then s.status = 'trialing'
         else (last.card_expiry || '-01')::date + interval '1 month' <= (s.message->>'expiresAt')::timestamptz at time zone 'UTC' end
       and not payment_retry.is_forgotten(s.account, s.customer_id)
       and not exists (select 1 from payment_retry.hold_on(s.account, s.id, s.customer_id))
       and not exists (
         select 1 from payment_retry.actions where actions.account = s.account and actions.subscription_id = s.id
           and actions.invoice_id is null and actions.cause = 'renewal_at_risk' and actions.reference = concat_ws(' ', s.lost_method, last.card_expiry))
     order by s.message->>'expiresAt', s.account, s.id limit $3`,
    [toIsoSeconds(from), toIsoSeconds(to), limit],
  );
}
