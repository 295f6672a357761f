import type { DateTime } from 'luxon';
import type { Suggestion } from '../../contract.ts';
import type { Queryable } from '../../store/database.ts';
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
  id: string;
  organization: string;
  requestId: string;
  invoiceId: string;
  subscriptionId: string | null;
  customerId: string;
  paymentMethodType: string | undefined;
  cardCountry: string | undefined;
  currency: string;
  /** The failed transaction that led to it. */
  decidedFor: string;
  suggestion: Suggestion;
  idealRetryAt: DateTime;
  reason: string;
  /** Sentences for an operator. */
  reasons: readonly string[];
  expectedGain: number;
  propensity: number;
  arm: string;
  now: DateTime;
}

export async function insertRecoveryAction(db: Queryable, action: NewRecoveryAction): Promise<void> {
  await db.query(
    `insert into retry_service.recovery_actions (id, organization, request_id, invoice_id, subscription_id,
       customer_id, payment_method_type, card_country, currency, suggestion, ideal_retry_at, reason, status,
       created_at, updated_at, decided_for, reasons, expected_gain, propensity, arm)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'PENDING', $13, $13, $14, $15, $16, $17, $18)`,
    [
      action.id,
      action.organization,
      action.requestId,
      action.invoiceId,
      action.subscriptionId,
      action.customerId,
      action.paymentMethodType ?? null,
      action.cardCountry ?? null,
      action.currency,
      action.suggestion,
      action.idealRetryAt.toISO(),
      action.reason,
      action.now.toISO(),
      action.decidedFor,
      action.reasons.join('\n'),
      action.expectedGain,
      action.propensity,
      action.arm,
    ],
  );
}

export interface ActionClosure {
  status: Extract<ActionStatus, 'SUCCEEDED' | 'FAILED' | 'CANCELED'>;
  statusReason: string | undefined;
  transactionId: string | undefined;
  isExecuted: boolean;
}

/** Ends an outstanding action. One that has ended already keeps its end. */
export async function closeRecoveryAction(
  db: Queryable,
  id: string,
  closure: ActionClosure & { now: DateTime },
): Promise<void> {
  await db.query(
    `update retry_service.recovery_actions
     set status = $2, status_reason = $3, transaction_id = $4, updated_at = $5::timestamptz,
         executed_at = case when $6::boolean then $5::timestamptz end
     where id = $1 and status in ('PENDING', 'SENT')`,
    [
      id,
      closure.status,
      closure.statusReason ?? null,
      closure.transactionId ?? null,
      closure.now.toISO(),
      closure.isExecuted,
    ],
  );
}

/** What came of an action after it had ended without an outcome. One that has an outcome keeps it. */
export async function recordLateOutcome(
  db: Queryable,
  id: string,
  closure: ActionClosure & { now: DateTime },
): Promise<void> {
  await db.query(
    `update retry_service.recovery_actions
     set status = $2, status_reason = $3, transaction_id = $4, updated_at = $5::timestamptz,
         executed_at = $5::timestamptz, undeliverable_at = null
     where id = $1 and status in ('FAILED', 'CANCELED') and transaction_id is null`,
    [id, closure.status, closure.statusReason ?? null, closure.transactionId ?? null, closure.now.toISO()],
  );
}

/** The organization has read them while they were outstanding. */
export async function markListed(db: Queryable, ids: readonly string[], now: DateTime): Promise<void> {
  await db.query(
    `update retry_service.recovery_actions set listed_at = $2
     where id = any($1::uuid[]) and listed_at is null and status in ('PENDING', 'SENT')`,
    [ids, now.toISO()],
  );
}
