/** The planned actions of an invoice: found, stopped, moved, and those that wait for a person (`release` runs them, `stop` ends them). */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { ActionCause } from '../../../actions/action-cause.ts';
import { type ActionKind, INSTRUCTED, listKinds } from '../../../actions/action-kinds.ts';
import type { AuditKind } from '../../../actions/audit-kinds.ts';
import type { Reason, ReasonCode } from '../../../reasons/reason.ts';
import { IN_DOUBT, type NewAction, type StoredAction } from './actions.ts';
import type { InvoiceKey } from './takeovers.ts';

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
 * effect, looks for what the begun one came to, and ends once that is known. Returns the number of closed actions.
 */
export function closeScheduledActions(
  db: Queryable,
  { account, invoiceIds, kinds, keepsUndecided, cause }: ActionTarget,
  reason: Reason,
  now: DateTime,
) {
  return db.count(
    `with stopped as (
       update payment_retry.actions
       set state = case when state = 'running' or ${IN_DOUBT} then state else 'closed' end, reason = $3::jsonb, closed_at = $4,
         due_at = case when state = 'scheduled' and ${IN_DOUBT} then least(due_at, $4) else due_at end
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
      ...[account, invoiceIds, JSON.stringify(reason), now, kinds, cause, keepsUndecided],
      listKinds('follows'),
    ],
  );
}

export function hasPlannedPayment(db: Queryable, account: string, invoiceId: string) {
  return db.has(
    `select 1 as one from payment_retry.actions
     where account = $1 and invoice_id = $2 and kind = 'pay' and state in ('scheduled', 'running', 'undecided') limit 1`,
    [account, invoiceId],
  );
}

type Cause = Pick<NewAction, 'account' | 'invoiceId' | 'cause'> & Partial<Pick<NewAction, 'reference'>>;

/** The planned action with this cause, of one or any reference. */
export function findPlanned(db: Queryable, { account, invoiceId, cause, reference }: Cause) {
  return db.find<Pick<StoredAction, 'id' | 'dueAt'>>(
    `select id, due_at from payment_retry.actions
     where account = $1 and invoice_id = $2 and cause = $3 and ($4::text is null or reference = $4)
       and state in ('scheduled', 'running') limit 1`,
    [account, invoiceId, cause, reference],
  );
}

/** The id of a person's open action; with `since`, also of a done one requested later. */
export function findOperatorsAction(
  db: Queryable,
  { account, invoiceId }: InvoiceKey,
  kinds: readonly ActionKind[],
  since?: DateTime,
) {
  return db.findValue<string>(
    `select id from payment_retry.actions
     where account = $1 and invoice_id = $2 and kind = any($3::text[]) and cause = 'operator'
       and (state in ('scheduled', 'running', 'undecided') or state = 'done' and created_at > $4) limit 1`,
    [account, invoiceId, kinds, since],
  );
}

/** The latest action of these kinds, with any cause and state. */
export function findLastAction(
  db: Queryable,
  { account, invoiceId }: InvoiceKey,
  kinds: readonly ActionKind[],
) {
  return db.find<
    Pick<StoredAction, 'account' | 'cause' | 'kind' | 'invoiceId' | 'customerId' | 'subscriptionId'>
  >(
    `select account, cause, kind, invoice_id, customer_id, subscription_id from payment_retry.actions
     where account = $1 and invoice_id = $2 and kind = any($3::text[]) order by created_at desc limit 1`,
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

/**
 * Moves the invoice's planned actions that are due before `until`. Leaves those of the customer or a person, and those already
 * begun. Returns their ids.
 */
export function moveActions(
  tx: Queryable,
  { account, invoiceId }: InvoiceKey,
  until: DateTime,
  reason: Reason,
) {
  return tx.listValues<string>(
    `update payment_retry.actions set due_at = $3, reason = $4::jsonb
     where account = $1 and invoice_id = $2 and state = 'scheduled' and due_at < $3 and closed_at is null
       and kind = any($5::text[])
       and cause not in ('card_change', 'operator')
       and not exists (select 1 from payment_retry.attempts where attempts.action_id = actions.id and outcome is null)
     returning id`,
    [account, invoiceId, until, JSON.stringify(reason), INSTRUCTED],
  );
}

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
