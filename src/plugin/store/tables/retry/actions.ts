import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { isClaimed } from '../../../../core/database/processes.ts';
import type { ActionCause } from '../../../actions/action-cause.ts';
import type { ActionKind, RenewalKind } from '../../../actions/action-kinds.ts';
import type { Reason } from '../../../reasons/reason.ts';
import { isPaused } from './pauses.ts';

export interface NewAction extends Pick<ActionRow, 'id' | 'account' | 'cause' | 'reference'> {
  kind: ActionKind;
  /** Null before a renewal, with a subscription instead. */
  invoiceId: string | null;
  customerId?: string | null | undefined;
  subscriptionId?: string | null | undefined;
  requestId?: string | null | undefined;
  /** Replaces the payment method that Stripe would choose. */
  paymentMethod?: string | null | undefined;
  dueAt: DateTime;
  createdAt: DateTime;
}

interface ActionRow {
  id: string;
  account: string;
  cause: ActionCause;
  reference: string;
  customerId: string | null;
  requestId: string | null;
  paymentMethod: string | null;
  dueAt: DateTime;
  createdAt: DateTime;
  claimedUntil: DateTime | null;
  /** Set before the final state if the action was stopped while it ran: only the effect already begun is finished. */
  closedAt: DateTime | null;
  state: string;
  reason: Reason | null;
}

/** An action on an invoice. */
export interface StoredAction extends ActionRow {
  kind: Exclude<ActionKind, RenewalKind>;
  invoiceId: string;
  subscriptionId: string | null;
}

/** An action on a subscription whose next invoice does not exist yet. */
export interface RenewalAction extends ActionRow {
  kind: RenewalKind;
  invoiceId: null;
  subscriptionId: string;
}

export type AnyAction = StoredAction | RenewalAction;

export type Subject = Pick<StoredAction, 'invoiceId'> | Pick<RenewalAction, 'invoiceId' | 'subscriptionId'>;

/** The invoice, or before there is one the subscription. */
export const subjectOf = (of: Subject) =>
  of.invoiceId === null
    ? { invoiceId: null, subscriptionId: of.subscriptionId }
    : { invoiceId: of.invoiceId };

export const aboutOf = (of: Subject) => (of.invoiceId === null ? of.subscriptionId : of.invoiceId);

const COLUMNS = `id, account, cause, reference, kind, invoice_id, customer_id,
  subscription_id, request_id, payment_method,
  due_at, created_at, claimed_until,
  closed_at, state, reason`;

/** A call to Stripe without a known outcome keeps its action open until it is settled (stripe-facts 3.8). */
export const IN_DOUBT = `(exists (
  select 1 from payment_retry.attempts where attempts.action_id = actions.id and attempts.outcome is null)
  or actions.kind = 'end_dunning' and exists (
  select 1 from payment_retry.endings where endings.account = actions.account
    and endings.invoice_id = actions.invoice_id and endings.started_at is not null and endings.ended_at is null))`;

/** Allows only actions in the middle of a payment to continue during a pause, so that it is settled. */
const MAY_RUN = `(not ${isPaused('actions')} or ${IN_DOUBT})`;

/** Returns false if the same action was requested before. */
export function insertAction(db: Queryable, action: NewAction) {
  return db.has(
    `insert into payment_retry.actions (id, account, cause, reference, kind, invoice_id, customer_id, subscription_id, request_id,
       payment_method, due_at, state, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'scheduled', $12)
     on conflict (account, cause, reference, coalesce(invoice_id, subscription_id)) do nothing
     returning id`,
    [
      ...[action.id, action.account, action.cause, action.reference, action.kind, action.invoiceId],
      ...[action.customerId, action.subscriptionId, action.requestId],
      ...[action.paymentMethod, action.dueAt, action.createdAt],
    ],
  );
}

/** Schedules a closed action again if it ended before `askedAt` without an attempt: its obstacle may be gone. Returns its id. */
export function reopenAction(
  db: Queryable,
  { account, cause, reference, invoiceId, dueAt, createdAt }: NewAction,
  askedAt: DateTime,
) {
  return db.findValue<string>(
    `update payment_retry.actions
     set state = 'scheduled', closed_at = null, reason = null, due_at = $5, created_at = $6
     where account = $1 and cause = $2 and reference = $3 and invoice_id = $4 and state = 'closed' and closed_at < $7 and not exists (
       select 1 from payment_retry.attempts where attempts.action_id = actions.id
         and coalesce(attempts.outcome, '') not in ('not_payable', 'not_executed'))
     returning id`,
    [account, cause, reference, invoiceId, dueAt, createdAt, askedAt],
  );
}

export function findAction(db: Queryable, id: string) {
  return db.find<AnyAction>(`select ${COLUMNS} from payment_retry.actions where id = $1`, [id]);
}

/**
 * Claims a due action for this process until `until`. Returns nothing if it is not due, done, paused or claimed by another process;
 * a dead process's action is taken over once its death was noticed or its time has run out. A unique violation of
 * `actions_single_flight` means that another action of the same customer is running.
 */
export function claimAction(
  db: Queryable,
  id: string,
  claim: { now: DateTime; until: DateTime; by: number | undefined },
) {
  return db.find<AnyAction>(
    `update payment_retry.actions set state = 'running', claimed_until = $3, claimed_by = $4
     where id = (
       select id from payment_retry.actions
       where id = $1 and ((state = 'scheduled' and due_at <= $2) or (state = 'running' and not ${isClaimed('$2')})
           -- Due immediately by a clock that was ahead.
           or state = 'scheduled' and created_at > $2::timestamptz + interval '1 minute' and due_at <= created_at)
         and ${MAY_RUN}
       for update skip locked)
     returning ${COLUMNS}`,
    [id, claim.now, claim.until, claim.by],
  );
}

/**
 * Frees claims of dead processes. An action stays `running`, with its customer's single flight, until another process takes it over
 * or finds it stopped; `holdsClaim` fences off a late run.
 */
export async function releaseActionsOf(db: Queryable, processIds: readonly number[]) {
  await db.query(
    `update payment_retry.actions set claimed_until = to_timestamp(0)
     where state = 'running' and claimed_by = any($1::integer[])`,
    [[...processIds]],
  );
}

export function isSingleFlightViolation(error: unknown): boolean {
  return Object(error).constraint === 'actions_single_flight';
}

/**
 * Whether the claiming run may still have its effect: not stopped, not taken over, not paused, and claimed until `needed`.
 * Locks the row, so that a stop waits for the transaction.
 */
export function holdsClaim(
  tx: Queryable,
  action: Pick<StoredAction, 'id' | 'claimedUntil'>,
  needed: DateTime,
) {
  return tx.has(
    `select 1 as one from payment_retry.actions
     where id = $1 and state = 'running' and claimed_until = $2 and claimed_until > $3 and closed_at is null
       and not ${isPaused('actions')}
     for update`,
    [action.id, action.claimedUntil, needed],
  );
}

/** Ends an action. Returns nothing if it had ended, or has an attempt in doubt, which is settled first. */
export function closeAction(
  db: Queryable,
  id: string,
  result: { state: 'done' | 'closed'; reason: Reason },
  now: DateTime,
) {
  return db.find<AnyAction>(
    `update payment_retry.actions set state = $2, reason = $3::jsonb, closed_at = $4, claimed_until = null
     where id = $1 and state in ('scheduled', 'running') and not ${IN_DOUBT}
     returning ${COLUMNS}`,
    [id, result.state, JSON.stringify(result.reason), now],
  );
}

/**
 * Reschedules an action if this run still holds it. A stopped action stays closed, unless an attempt in doubt has to be
 * settled. Returns the row, now `scheduled` or `closed`.
 */
export function postponeAction(
  db: Queryable,
  action: Pick<StoredAction, 'id' | 'claimedUntil'>,
  dueAt: DateTime,
  reason: Reason,
) {
  return db.find<AnyAction>(
    `update payment_retry.actions
     set state = case when closed_at is null or ${IN_DOUBT} then 'scheduled' else 'closed' end, due_at = $2,
         reason = case when closed_at is null then $3::jsonb else reason end, claimed_until = null
     where id = $1 and state = 'running' and claimed_until = $4
     returning ${COLUMNS}`,
    [action.id, dueAt, JSON.stringify(reason), action.claimedUntil],
  );
}

/** Overdue and not paused, or claimed by a dead process: their jobs may have been lost. */
export function listOverdueActions(db: Queryable, before: DateTime, limit: number) {
  return db.listValues<string>(
    `select id from (
       select * from payment_retry.actions where state = 'scheduled' and due_at <= $1
       union all
       select * from payment_retry.actions where state = 'running' and not ${isClaimed('$1')}) actions
     where ${MAY_RUN}
     order by row_number() over (partition by account order by due_at), due_at limit $2`,
    [before, limit],
  );
}
