/** Instructions whose sending was given up, for a person: what they are, and once more. */
import type { DateTime } from 'luxon';
import type { Suggestion } from '../../core/contract/contract.ts';
import type { Queryable } from '../../core/database/database.ts';
import { readStatusReason, type StatusReason } from '../reasons/status-reason.ts';
import { IS_OWED } from './sendable-actions.ts';

export interface UndeliveredAction {
  organization: string;
  requestId: string;
  invoiceId: string;
  suggestion: Suggestion;
  idealRetryAt: DateTime<true>;
  undeliverableAt: DateTime<true>;
  reason: StatusReason | null;
}

/** Given up, without an outcome, and of use: still owed, its case open, and nothing newer asked. */
const IS_UNDELIVERED = `a.undeliverable_at is not null and a.status = 'FAILED' and a.transaction_id is null
  and exists (select 1 from retry_service.cases c where c.organization = a.organization
              and c.invoice_id = a.invoice_id and c.state = 'open')
  and not exists (select 1 from retry_service.recovery_actions n where n.organization = a.organization
                  and n.invoice_id = a.invoice_id and n.position > a.position)
  and ${IS_OWED}`;

export async function listUndelivered(db: Queryable): Promise<UndeliveredAction[]> {
  const rows = await db.query<UndeliveredAction>(
    `select a.organization, a.request_id, a.invoice_id, a.suggestion,
            a.ideal_retry_at, a.undeliverable_at, a.status_reason as reason
     from retry_service.recovery_actions a where ${IS_UNDELIVERED} order by a.undeliverable_at, a.position`,
  );
  return rows.map((row) => ({ ...row, reason: readStatusReason(row.reason) }));
}

interface CallbacksCounted {
  waiting: number;
  waitingSince: DateTime<true> | null;
  undelivered: number;
}

export function countCallbacks(db: Queryable, organization: string): Promise<CallbacksCounted> {
  return db.get(
    `select waiting, waiting_since, undelivered
     from (select count(*) as waiting, min(created_at) as waiting_since from retry_service.recovery_actions
           where organization = $1 and status = 'PENDING') w,
          (select count(*) as undelivered from retry_service.recovery_actions a
           where a.organization = $1 and ${IS_UNDELIVERED}) u`,
    [organization],
  );
}

/** Puts back these, or all; returns the request ids. A second call finds nothing. */
export async function askForResending(
  db: Queryable,
  requestIds: readonly string[] | undefined,
  now: DateTime,
): Promise<string[]> {
  return db.listValues<string>(
    `with undelivered as (
       select a.id from retry_service.recovery_actions a
       where ($1::text[] is null or a.request_id::text = any($1)) and ${IS_UNDELIVERED}
       order by a.position for update of a)
     update retry_service.recovery_actions a
     set status = 'PENDING', status_reason = $3::jsonb, undeliverable_at = null, is_refused = false,
         send_since = $2, resend_asked_at = $2, updated_at = $2
     from undelivered u where a.id = u.id
     returning a.request_id`,
    [requestIds, now, JSON.stringify({ code: 'resend_asked' } satisfies StatusReason)],
  );
}

/** Those that were asked for and have no job yet. */
export async function claimResendings(db: Queryable): Promise<{ organization: string; actionId: string }[]> {
  return db.query(
    `with asked as (
       select id from retry_service.recovery_actions where resend_asked_at is not null
       order by position for update)
     update retry_service.recovery_actions a set resend_asked_at = null
     from asked where a.id = asked.id returning a.organization, a.id as action_id`,
  );
}

export interface WaitingCount {
  organization: string;
  count: number;
  oldestAt: DateTime<true>;
}

export async function countWaiting(db: Queryable): Promise<WaitingCount[]> {
  return db.query<WaitingCount>(
    `select organization, count(*)::int as count, min(created_at) as oldest_at
     from retry_service.recovery_actions where status = 'PENDING' group by organization order by organization`,
  );
}
