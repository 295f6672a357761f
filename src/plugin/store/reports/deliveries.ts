import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { InvoiceKey } from '../tables/retry/takeovers.ts';
import type { OutboxKind } from '../tables/sync/outbox.ts';

export interface Delivery {
  kind: OutboxKind;
  id: string;
  /** The delivered version. */
  deliveredAt: DateTime<true>;
  /** The service's request id; null if it returned none. */
  requestId: string | null;
}

/** Deliveries of the invoice, its subscription and its payment attempts. */
export function listDeliveries(db: Queryable, { account, invoiceId }: InvoiceKey) {
  return db.query<Delivery>(
    `select kind, id, delivered_version as delivered_at, delivered_request as request_id from (
       select 1 as place, 'subscriptions' as kind, s.id, s.delivered_version, s.delivered_request
       from payment_retry.invoices i join payment_retry.subscriptions s on s.account = i.account and s.id = i.subscription_id
       where i.account = $1 and i.id = $2
       union all
       select 2, 'invoices', id, delivered_version, delivered_request from payment_retry.invoices where account = $1 and id = $2
       union all
       select 3, 'transactions', coalesce(message->>'id', id::text), delivered_version, delivered_request
       from payment_retry.attempts where account = $1 and invoice_id = $2) as sent
     where delivered_version is not null order by place, delivered_version`,
    [account, invoiceId],
  );
}
