/** Actions requested by a person, and their targets. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { ActionKind } from '../../../actions/action-kinds.ts';
import type { StoredAction } from './actions.ts';
import type { InvoiceKey } from './takeovers.ts';

/** A person's open action; with `since`, also a done one requested later. */
export function findOperatorsAction(
  db: Queryable,
  { account, invoiceId }: InvoiceKey,
  kinds: readonly ActionKind[],
  since?: DateTime,
) {
  return db.find<Pick<StoredAction, 'id'>>(
    `select id from payment_retry.actions
     where account = $1 and invoice_id = $2 and kind = any($3::text[]) and cause = 'operator'
       and (state in ('scheduled', 'running', 'undecided') or state = 'done' and created_at > $4) limit 1`,
    [account, invoiceId, kinds, since],
  );
}

type PastAction = Pick<
  StoredAction,
  'account' | 'cause' | 'kind' | 'invoiceId' | 'customerId' | 'subscriptionId'
>;

/** The latest action of these kinds, with any cause and state. */
export function findLastAction(
  db: Queryable,
  { account, invoiceId }: InvoiceKey,
  kinds: readonly ActionKind[],
) {
  return db.find<PastAction>(
    `select account, cause, kind, invoice_id, customer_id, subscription_id from payment_retry.actions where account = $1 and invoice_id = $2 and kind = any($3::text[])
     order by created_at desc limit 1`,
    [account, invoiceId, kinds],
  );
}

/** Planned actions of one kind. */
export interface PlannedWork {
  readonly kind: ActionKind;
  readonly count: number;
  readonly nextAt: DateTime<true>;
}

export interface PlannedOf {
  readonly account?: string | undefined;
  readonly invoiceIds?: readonly string[];
  /** Actions that wait for a person's decision instead of planned ones. */
  readonly isUndecided?: boolean;
  readonly before?: DateTime;
}

/** Earliest due first. */
export function listPlannedWork(
  db: Queryable,
  { account, invoiceIds, isUndecided = false, before }: PlannedOf,
) {
  return db.query<PlannedWork>(
    `select kind, count(*)::int as count, min(due_at) as next_at from payment_retry.actions
     where state = $3 and closed_at is null and ($1::text is null or account = $1)
       and ($2::text[] is null or invoice_id = any($2)) and ($4::timestamptz is null or due_at < $4)
     group by kind order by next_at, kind`,
    [account, invoiceIds, isUndecided ? 'undecided' : 'scheduled', before],
  );
}
