/** The sender's view of the recovery actions: claim one, and record what became of sending it. */
import type { DateTime } from 'luxon';
import type { Suggestion } from '../../core/contract/contract.ts';
import type { Queryable } from '../../core/database/database.ts';
import { isClaimed } from '../../core/database/processes.ts';
import type { StatusReason } from '../reasons/status-reason.ts';

export interface SendableAction {
  requestId: string;
  invoiceId: string;
  subscriptionId: string | null;
  suggestion: Suggestion;
  idealRetryAt: DateTime<true>;
  /** Made then, or asked for again. */
  sendSince: DateTime<true>;
  /** The invoice is paid or no longer to be collected, and the action not closed yet. */
  isPointless: boolean;
}

/** Action `a` has an unpaid invoice, as far as the records say, and an uncanceled subscription. */
export const IS_OWED = `exists (
    select 1 from retry_service.invoices i
    left join retry_service.subscriptions s on s.organization = i.organization and s.id = i.subscription_id
    where i.organization = a.organization and i.id = a.invoice_id and i.state = 'INVOICE_STATE_UNPAID'
      and s.state is distinct from 'SUBSCRIPTION_STATE_CANCELED')
  and not exists (
    select 1 from retry_service.transactions t
    where t.organization = a.organization and t.invoice_id = a.invoice_id
      and t.state = 'TRANSACTION_STATE_PAID' and t.created_at >= a.created_at)`;

/** Undefined when it was sent, withdrawn or superseded. */
export async function findUnsentAction(db: Queryable, id: string): Promise<SendableAction | undefined> {
  return db.find<SendableAction>(
    `select a.request_id, a.invoice_id, a.subscription_id,
            a.suggestion, a.ideal_retry_at, coalesce(a.send_since, a.created_at) as send_since,
            not (${IS_OWED}) as is_pointless
     from retry_service.recovery_actions a where a.id = $1 and a.status = 'PENDING'`,
    [id],
  );
}

/** False while another action of the same invoice is on its way: they arrive in order. */
export async function claimForSending(
  db: Queryable,
  id: string,
  lease: { now: DateTime; until: DateTime },
): Promise<boolean> {
  return db.has(
    `update retry_service.recovery_actions a
     set claimed_until = $3, send_attempts = send_attempts + 1
     where id = $1 and status = 'PENDING'
       and not exists (select 1 from retry_service.recovery_actions o
                       where o.organization = a.organization and o.invoice_id = a.invoice_id
                         and ${isClaimed('$2', 'o')})
     returning id`,
    [id, lease.now, lease.until],
  );
}

/** The receiver has it. An action that was closed meanwhile keeps its end. */
export async function markSent(db: Queryable, id: string, now: DateTime): Promise<void> {
  await db.query(
    `update retry_service.recovery_actions
     set sent_at = $2, claimed_until = null, updated_at = $2,
         status_reason = case when status = 'PENDING' then null else status_reason end,
         status = case when status = 'PENDING' then 'SENT' else status end
     where id = $1`,
    [id, now],
  );
}

/** Not sent now; why is kept for the listing. */
export async function releaseUnsent(db: Queryable, id: string, statusReason: StatusReason): Promise<void> {
  await db.query(
    `update retry_service.recovery_actions
     set claimed_until = null,
         status_reason = case when status = 'PENDING' then $2::jsonb else status_reason end
     where id = $1`,
    [id, JSON.stringify(statusReason)],
  );
}

/** Will not be sent any more, unless a person asks for it. */
export async function markUndeliverable(
  db: Queryable,
  id: string,
  failure: { statusReason: StatusReason; isRefused: boolean; now: DateTime },
): Promise<void> {
  await db.query(
    `update retry_service.recovery_actions
     set status = 'FAILED', status_reason = $2::jsonb, is_refused = $3, undeliverable_at = $4, updated_at = $4,
         claimed_until = null
     where id = $1 and status = 'PENDING'`,
    [id, JSON.stringify(failure.statusReason), failure.isRefused, failure.now],
  );
}

/** Not sent yet because its receiver is left alone. Written once, not at each look. */
export async function markWaiting(db: Queryable, id: string, statusReason: StatusReason): Promise<void> {
  await db.query(
    `update retry_service.recovery_actions set status_reason = $2::jsonb
     where id = $1 and status = 'PENDING' and status_reason is null`,
    [id, JSON.stringify(statusReason)],
  );
}
