import type { DateTime } from 'luxon';
import type { Suggestion } from '../../core/contract/contract.ts';
import type { Queryable } from '../../core/database/database.ts';
import type { DecisionReason } from '../reasons/decision-reason.ts';
import type { StatusReason } from '../reasons/status-reason.ts';
import type { ActionStatus } from './case-facts.ts';

/**
 * Lets one transaction at a time add or execute recovery actions of an organization, or decide about its cases, until it
 * ends. The clock is read after this, so that rows become visible in the order of their times and a reader that pages
 * forward misses none.
 */
export async function lockActionOrder(db: Queryable, organization: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtext('retry_service.recovery_actions'), hashtext($1))`, [
    organization,
  ]);
}

export interface NewRecoveryAction {
  readonly id: string;
  readonly requestId: string;
  readonly invoiceId: string;
  readonly subscriptionId: string | null;
  readonly customerId: string;
  readonly paymentMethodType: string | undefined;
  readonly cardCountry: string | undefined;
  readonly currency: string;
  /** The failed transaction that led to it. */
  readonly decidedFor: string;
  readonly suggestion: Suggestion;
  readonly idealRetryAt: DateTime;
  readonly reason: string;
  readonly reasons: readonly DecisionReason[];
}

/** The listing shows them in the order of the list. */
export async function insertRecoveryActions(
  db: Queryable,
  organization: string,
  actions: readonly NewRecoveryAction[],
  now: DateTime,
): Promise<void> {
  await db.query(
    `insert into retry_service.recovery_actions (id, organization, request_id, invoice_id, subscription_id,
       customer_id, payment_method_type, card_country, currency, suggestion, ideal_retry_at, reason, status,
       created_at, updated_at, decided_for, reasons)
     select a.id, $1, a."requestId", a."invoiceId", a."subscriptionId", a."customerId", a."paymentMethodType",
       a."cardCountry", a.currency, a.suggestion, a."idealRetryAt", a.reason, 'PENDING', $3, $3, a."decidedFor",
       a.reasons
     from json_to_recordset($2::json) as a(id uuid, "requestId" uuid, "invoiceId" text, "subscriptionId" text,
       "customerId" text, "paymentMethodType" text, "cardCountry" text, currency text, suggestion text,
       "idealRetryAt" timestamptz, reason text, "decidedFor" text, reasons jsonb)`,
    [organization, JSON.stringify(actions), now],
  );
}

/** How an action ends. */
export interface ActionClosure {
  readonly id: string;
  readonly status: Exclude<ActionStatus, 'PENDING' | 'SENT'>;
  readonly statusReason?: StatusReason | undefined;
  readonly transactionId?: string | undefined;
  readonly isExecuted: boolean;
}

/** Takes actions for this transaction. Sorted, as all who change several take them: no deadlock. */
export async function lockActions(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query(
    `select id from retry_service.recovery_actions where id = any($1::uuid[]) order by position for update`,
    [ids],
  );
}

const CLOSURES = `json_to_recordset($1::json) as c(id uuid, status text, "statusReason" jsonb, "transactionId" text,
       "isExecuted" boolean)`;

/** Ends outstanding actions. One that has ended already keeps its end. */
export async function closeRecoveryActions(
  db: Queryable,
  closures: readonly ActionClosure[],
  now: DateTime,
): Promise<void> {
  await db.query(
    `update retry_service.recovery_actions a
     set status = c.status, status_reason = c."statusReason", transaction_id = c."transactionId",
         updated_at = $2::timestamptz, executed_at = case when c."isExecuted" then $2::timestamptz end
     from ${CLOSURES}
     where a.id = c.id and a.status in ('PENDING', 'SENT')`,
    [JSON.stringify(closures), now],
  );
}

/** What came of actions after they had ended without an outcome. One that has an outcome keeps it. */
export async function recordLateOutcomes(
  db: Queryable,
  closures: readonly ActionClosure[],
  now: DateTime,
): Promise<void> {
  await db.query(
    `update retry_service.recovery_actions a
     set status = c.status, status_reason = c."statusReason", transaction_id = c."transactionId",
         updated_at = $2::timestamptz, executed_at = $2::timestamptz, undeliverable_at = null
     from ${CLOSURES}
     where a.id = c.id and a.status in ('FAILED', 'EXPIRED', 'CANCELED') and a.transaction_id is null`,
    [JSON.stringify(closures), now],
  );
}

/** The organization has read them while they were outstanding. */
export async function markListed(db: Queryable, ids: readonly string[], now: DateTime): Promise<void> {
  await db.query(
    `update retry_service.recovery_actions set listed_at = $2
     where id in (
       select id from retry_service.recovery_actions
       where id = any($1::uuid[]) and listed_at is null and status in ('PENDING', 'SENT')
       order by position for update)`,
    [ids, now],
  );
}
