import type { DateTime } from 'luxon';
import type { Queryable } from '../engine/database.ts';
import { type Reason, readReason, withReason } from '../reasons/reason.ts';

export interface OpenEnding {
  account: string;
  invoiceId: string;
  subscriptionId: string | null;
  amountRemaining: number;
  currency: string;
  givenUpAt: DateTime<true>;
  /** Why it was given up. */
  reason: Reason | null;
  /** Why what AFTER_GIVING_UP says was not done; null where nothing was planned. */
  obstacle: Reason | null;
}

/**
 * Invoices that were given up and about which nothing is done or planned: a person decides, oldest first. What is
 * settled in Stripe, stopped by a person or handed back has been decided.
 */
export async function listOpenEndings(db: Queryable): Promise<OpenEnding[]> {
  const rows = await db.query<OpenEnding>(
    `select e.account, e.invoice_id, i.subscription_id, i.amount_remaining, i.currency, e.given_up_at, e.reason,
            (select a.reason from payment_retry.actions a where a.account = e.account and a.invoice_id = e.invoice_id
               and a.kind = 'end_dunning' order by a.created_at desc limit 1) as obstacle
     from payment_retry.endings e
     join payment_retry.invoices i on i.account = e.account and i.id = e.invoice_id and i.status = 'open'
     left join payment_retry.subscriptions s on s.account = i.account and s.id = i.subscription_id
     where e.ended_at is null and coalesce(s.status, '') not in ('canceled', 'incomplete_expired')
       and not exists (select 1 from payment_retry.actions a where a.account = e.account
         and a.invoice_id = e.invoice_id and a.kind = 'end_dunning' and a.state in ('scheduled', 'running'))
       and not exists (select 1 from payment_retry.holds h where h.account = e.account
         and h.invoice_id = e.invoice_id and h.released_at is null)
       and not exists (select 1 from payment_retry.takeovers t where t.account = e.account
         and t.invoice_id = e.invoice_id and t.handed_back_at is not null)
     order by e.given_up_at`,
  );
  return rows.map(withReason).map((row) => ({ ...row, obstacle: row.obstacle && readReason(row.obstacle) }));
}
