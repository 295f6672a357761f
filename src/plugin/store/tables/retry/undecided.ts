/** Actions that wait for a person: `release` runs them, `stop` ends them. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { Reason, ReasonCode } from '../../../reasons/reason.ts';
import type { StoredAction } from './actions.ts';
import type { InvoiceKey } from './takeovers.ts';

/** False if the action was stopped while it ran, or claimed by another process. */
export function askPerson(
  tx: Queryable,
  { id, claimedUntil }: Pick<StoredAction, 'id' | 'claimedUntil'>,
  reason: Reason,
) {
  return tx.has(
    `update payment_retry.actions set state = 'undecided', reason = $3::jsonb, claimed_until = null
     where id = $1 and state = 'running' and claimed_until = $2 and closed_at is null returning id`,
    [id, claimedUntil, JSON.stringify(reason)],
  );
}

/** Schedules an invoice's undecided actions, all or those with one reason. Returns their ids. */
export function letHappen(
  tx: Queryable,
  { account, invoiceId }: InvoiceKey,
  { at, code }: { at: DateTime; code?: ReasonCode },
) {
  return tx.listValues<string>(
    `update payment_retry.actions set state = 'scheduled', due_at = $3, reason = null
     where account = $1 and invoice_id = $2 and state = 'undecided' and coalesce(reason ->> 'code' = $4, true) returning id`,
    [account, invoiceId, at, code],
  );
}

export interface UndecidedAction {
  account: string;
  invoiceId: string;
  customerId: string | null;
  createdAt: DateTime<true>;
  reason: Reason | null;
}

export function listUndecided(db: Queryable) {
  return db.query<UndecidedAction>(
    `select account, invoice_id, customer_id, created_at, reason from payment_retry.actions
     where state = 'undecided' order by created_at`,
  );
}
