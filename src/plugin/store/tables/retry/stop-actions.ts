import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { ActionCause } from '../../../actions/action-cause.ts';
import { type ActionKind, listKinds } from '../../../actions/action-kinds.ts';
import type { AuditKind } from '../../../actions/audit-kinds.ts';
import type { Reason } from '../../../reasons/reason.ts';
import { IN_DOUBT } from './actions.ts';

const CLOSED: AuditKind = 'action.closed';

export interface ActionTarget {
  readonly account: string;
  /** A subscription's id selects the email before its renewal. */
  readonly invoiceIds: readonly string[];
  /** Default: all except those that follow a payment. */
  readonly kinds?: readonly ActionKind[];
  /** Leaves undecided actions to the person. */
  readonly keepsUndecided?: true;
  readonly cause?: ActionCause;
}

/**
 * Stops the invoices' planned actions and records why. A running action, or one with an attempt in doubt, is marked: it has no new
 * effect and ends once the begun one is known. Returns the number of closed actions.
 */
export async function closeScheduledActions(
  db: Queryable,
  target: ActionTarget,
  reason: Reason,
  now: DateTime,
): Promise<number> {
  const rows = await db.query(
    `with stopped as (
       update payment_retry.actions
       set state = case when state = 'running' or ${IN_DOUBT} then state else 'closed' end, reason = $3::jsonb, closed_at = $4
       where account = $1 and (invoice_id = any($2::text[]) or invoice_id is null and subscription_id = any($2::text[]))
         and state in ('scheduled', 'running', 'undecided') and closed_at is null
         and (kind = any($5::text[]) or $5 is null and kind <> all($8::text[])) and ($6::text is null or cause = $6)
         and ($7::boolean is not true or state <> 'undecided')
       returning account, invoice_id, subscription_id, kind, state)
     insert into payment_retry.audit (account, at, invoice_id, subscription_id, kind, detail)
     select account, $4, invoice_id, case when invoice_id is null then subscription_id end, '${CLOSED}', jsonb_build_object('action', kind, 'reason', $3::jsonb) from stopped
     where state = 'closed'
     returning id`,
    [
      target.account,
      [...target.invoiceIds],
      JSON.stringify(reason),
      now,
      target.kinds ? [...target.kinds] : null,
      target.cause,
      target.keepsUndecided,
      listKinds('follows'),
    ],
  );
  return rows.length;
}
