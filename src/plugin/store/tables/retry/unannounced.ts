import type { DateTime } from 'luxon';
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
  {
    from,
    to,
    paymentsUntil,
    limit,
  }: Readonly<Record<'from' | 'to' | 'paymentsUntil', DateTime>> & { limit: number },
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
