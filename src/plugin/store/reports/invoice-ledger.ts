import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { Reason } from '../../reasons/reason.ts';

/** One invoice for accounting. */
export interface LedgerRow {
  id: string;
  status: string;
  amountRemaining: number;
  currency: string;
  /** Our attempts that reached Stripe. */
  attemptsMade: number;
  /** Emails sent because of this invoice: one that names several invoices counts once. */
  emailsSent: number;
  nextAction: string | null;
  nextActionAt: DateTime<true> | null;
  /** Cause of the action whose attempt paid it; null if it was not ours. */
  paidBy: string | null;
  /** Reason of the latest action that ended. */
  lastReason: Reason | null;
}

export function listInvoiceLedger(db: Queryable, account: string) {
  return db.query<LedgerRow>(
    `select i.id, i.status, i.amount_remaining, i.currency,
       (select count(*)::int from payment_retry.attempts a where a.account = i.account and a.invoice_id = i.id
          and a.source = 'ours' and a.outcome is distinct from 'not_executed') as attempts_made,
       (select count(*)::int from payment_retry.emails e where e.account = i.account and e.invoice_id = i.id
          and e.state = 'sent') as emails_sent,
       next.kind as next_action, next.due_at as next_action_at, paid.cause as paid_by, last.reason as last_reason
     from payment_retry.invoices i
     left join lateral (
       select kind, due_at from payment_retry.actions x where x.account = i.account and x.invoice_id = i.id
         and x.state in ('scheduled', 'running') order by due_at limit 1) next on true
     left join lateral (
       select x.cause from payment_retry.attempts a join payment_retry.actions x on x.id = a.action_id
       where a.account = i.account and a.invoice_id = i.id and a.outcome = 'paid' order by a.started_at desc limit 1) paid on true
     left join lateral (
       select reason from payment_retry.actions x where x.account = i.account and x.invoice_id = i.id
         and x.state in ('done', 'closed') order by closed_at desc limit 1) last on true
     where i.account = $1
     order by i.id`,
    [account],
  );
}
