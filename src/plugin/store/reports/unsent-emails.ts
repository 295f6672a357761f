import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { Reason } from '../../reasons/reason.ts';

export interface UndeliverableEmail {
  account: string;
  invoiceId: string;
  action: string;
  reason: Reason;
  at: DateTime<true>;
}

/** Each unpaid invoice's latest undeliverable email, unless a later one was sent or a person stopped the invoice. */
export function listUndeliverableEmails(db: Queryable) {
  return db.query<UndeliverableEmail>(
    `select * from (
       select distinct on (entry.account, entry.invoice_id) entry.account, entry.invoice_id,
         entry.detail->>'action' as action, entry.detail->'reason' as reason, entry.at
       from payment_retry.audit entry
       join payment_retry.invoices invoice on invoice.account = entry.account and invoice.id = entry.invoice_id
       where entry.kind = 'email.undeliverable' and invoice.status in ('open', 'uncollectible')
         and invoice.amount_remaining > 0
         and not exists (select 1 from payment_retry.hold_on(entry.account, entry.invoice_id) h where h.released_at is null)
         and not exists (
           select 1 from payment_retry.emails email
           where email.account = entry.account and email.named @> array[entry.invoice_id] and email.state = 'sent'
             and email.sent_at >= entry.at)
       order by entry.account, entry.invoice_id, entry.id desc
     ) latest order by at`,
  );
}

export interface DelayedEmail {
  account: string;
  invoiceId: string;
  action: string;
  /** The mail server's answer. */
  reason: Reason;
  /** Time of the first try. */
  since: DateTime<true>;
  nextAt: DateTime<true>;
}

/** Emails that a mail server has deferred, oldest first, at most a hundred. */
export function listDelayedEmails(db: Queryable) {
  return db.query<DelayedEmail>(
    `select action.account, email.invoice_id, action.kind as action, action.reason,
            email.created_at as since, action.due_at as next_at
     from payment_retry.actions action
     join payment_retry.emails email on email.account = action.account
       and email.step = action.id::text and email.state = 'sending'
     where action.state = 'scheduled' and action.reason is not null
     order by email.created_at limit 100`,
  );
}

/** Work that waits until Stripe accepts our key for it. */
export interface AccessRefused {
  account: string;
  what: 'action' | 'event';
  count: number;
  /** Stripe's answer for one of them. */
  reason: Reason;
}

/** Counts waiting work by account, kind and missing permission. */
export function countAccessRefused(db: Queryable) {
  return db.query<AccessRefused>(
    `select account, what, count(*) as count, max(reason::text)::jsonb as reason from (
       select account, 'action' as what, reason from payment_retry.actions
       where state = 'scheduled' and reason->>'code' = 'access_refused'
       union all
       select account, 'event' as what, results->0 as reason from payment_retry.events
       where processed_at is null and results->0->>'code' = 'access_refused') as waiting
     group by account, what, reason->>'permission' order by account, what, reason->>'permission'`,
  );
}
