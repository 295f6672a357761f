/** Everything known about one invoice: instructions, attempts, emails and decisions. */

import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { ActionCause } from '../../actions/action-cause.ts';
import type { Reason } from '../../reasons/reason.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { listAudit, type StoredAuditEntry } from '../tables/audit.ts';
import type { StoredAttempt } from '../tables/retry/attempts.ts';
import { findHold, type Hold } from '../tables/retry/holds.ts';
import type { StoredInstruction } from '../tables/retry/instructions.ts';
import { findPause, type Pause } from '../tables/retry/pauses.ts';
import type { InvoiceKey } from '../tables/retry/takeovers.ts';
import type { Dispute } from '../tables/sync/disputes.ts';
import type { StoredInvoice } from '../tables/sync/invoices.ts';
import type { OutboxKind } from '../tables/sync/outbox.ts';
import { findRecoveryCase, type KeptCase } from './kept-cases.ts';

export interface HistoryInvoice extends Omit<StoredInvoice, 'id'> {
  account: string;
  number: string | null;
}

export interface HistoryInstruction
  extends Pick<StoredInstruction, 'requestId' | 'type' | 'subscriptionId' | 'suggestion' | 'idealRetryAt'> {
  source: string;
  receivedAt: DateTime<true>;
  state: string;
  reason: Reason | null;
}

export interface HistoryListed {
  id: string;
  requestId: string | null;
  firstSeenAt: DateTime<true>;
  createdAt: DateTime<true> | null;
  executedAt: DateTime<true> | null;
  type: string | null;
  status: string | null;
  suggestion: string | null;
  idealRetryAt: DateTime<true> | null;
  problem: string | null;
  /** The whole record as listed, JSON. */
  body: string;
}

export interface HistoryAttempt
  extends Omit<StoredAttempt, 'id' | 'invoiceId' | 'idempotencyKey' | 'fingerprint' | 'cardExpiry'> {
  refunded: number;
  refundedAt: DateTime<true> | null;
}

export interface HistoryEmail {
  id: string;
  createdAt: DateTime<true>;
  named: string[];
  template: string;
  recipient: string;
  state: string;
  detail: string | null;
}

export interface HistoryAction {
  id: string;
  cause: ActionCause;
  requestId: string | null;
  kind: string;
  state: string;
  dueAt: DateTime<true>;
  closedAt: DateTime<true> | null;
  reason: Reason | null;
}

export interface HistoryDispute extends Pick<Dispute, 'id' | 'reason' | 'status' | 'amount'> {
  openedAt: DateTime<true>;
  closedAt: DateTime<true> | null;
}

export interface HistoryTakeover {
  takenOverAt: DateTime<true>;
  handedBackAt: DateTime<true> | null;
  /** Whether Stripe's retry signal watches the payment (RETRY_SIGNAL). */
  isWatched: boolean;
  action: string | null;
  because: string | null;
}

export interface InvoiceHistory {
  /** Undefined if no event of the invoice arrived. */
  invoice: HistoryInvoice | undefined;
  instructions: HistoryInstruction[];
  listed: HistoryListed[];
  attempts: HistoryAttempt[];
  emails: HistoryEmail[];
  actions: HistoryAction[];
  disputes: HistoryDispute[];
  audit: StoredAuditEntry[];
  hold: Hold | undefined;
  pause: Pause | undefined;
  /** Undefined if Stripe's own retries were never turned off for it. */
  takeover: HistoryTakeover | undefined;
  recoveryCase: KeptCase | undefined;
}

/** Account: null for any. */
type Of = [id: string, account: string | null];
const OF_ACCOUNT = '($2::text is null or account = $2)';

/** Undefined for an unknown invoice. With an account, only its records: other accounts may have named the same id. */
export async function findInvoiceHistory(
  db: Queryable,
  id: string,
  account?: string,
): Promise<InvoiceHistory | undefined> {
  const of: Of = [id, account ?? null];
  const [invoice] = await db.query<HistoryInvoice>(
    `select account, number, status, amount_remaining, currency, customer_id,
            subscription_id, next_attempt_at
     from payment_retry.invoices where id = $1 and ${OF_ACCOUNT}`,
    of,
  );
  const history: InvoiceHistory = {
    invoice,
    hold: await findHold(db, { account: invoice?.account ?? account ?? OWN_ACCOUNT, invoiceId: id }),
    pause: await findPause(db, invoice?.account ?? account ?? OWN_ACCOUNT),
    takeover: await findTakeover(db, of),
    recoveryCase: await findRecoveryCase(db, id, account),
    instructions: await listInstructions(db, of),
    listed: await listListed(db, of),
    attempts: await listAttempts(db, of),
    emails: await listEmails(db, of),
    actions: await listActions(db, of),
    disputes: await listDisputes(db, of),
    audit: await listAudit(db, { about: id, ...(account === undefined ? {} : { account }) }),
  };
  const { instructions, listed, attempts, emails, actions, audit } = history;
  const isKnown =
    invoice || [instructions, listed, attempts, emails, actions, audit].some(({ length }) => length > 0);
  return isKnown ? history : undefined;
}

function listInstructions(db: Queryable, of: Of) {
  return db.query<HistoryInstruction>(
    `select request_id, source, received_at, type, subscription_id, suggestion,
            ideal_retry_at, state, reason
     from payment_retry.instructions where invoice_id = $1 and ${OF_ACCOUNT} order by position`,
    of,
  );
}

function listListed(db: Queryable, of: Of) {
  return db.query<HistoryListed>(
    `select id, request_id, first_seen_at, created_at, executed_at, type, status,
            suggestion, ideal_retry_at, problem, body
     from payment_retry.recovery_actions where invoice_id = $1 and ${OF_ACCOUNT} order by position`,
    of,
  );
}

/** Leaves out rows that only report to the service that no attempt was made. */
function listAttempts(db: Queryable, of: Of) {
  return db.query<HistoryAttempt>(
    `select action_id, started_at, source, attempt_number, amount,
            currency, payment_method, calls, method_type, brand, charge_id, outcome, code, decline_code,
            advice_code, network_code, network_advice, detail, refunded, refunded_at
     from payment_retry.attempts where invoice_id = $1 and ${OF_ACCOUNT} and (source = 'stripe' or attempt_number is not null)
     order by started_at, attempt_number`,
    of,
  );
}

function listEmails(db: Queryable, of: Of) {
  return db.query<HistoryEmail>(
    `select step as id, created_at, named, template, recipient, state, detail
     from payment_retry.emails
     where (named @> array[$1] or invoice_id is null and subscription_id = $1) and ${OF_ACCOUNT} order by created_at`,
    of,
  );
}

function listActions(db: Queryable, of: Of) {
  return db.query<HistoryAction>(
    `select id, cause, request_id, kind, state, due_at, closed_at, reason
     from payment_retry.actions
     where (invoice_id = $1 or invoice_id is null and subscription_id = $1) and ${OF_ACCOUNT} order by created_at`,
    of,
  );
}

function listDisputes(db: Queryable, of: Of) {
  return db.query<HistoryDispute>(
    `select id, reason, status, amount, opened_at, closed_at
     from payment_retry.disputes where invoice_id = $1 and ${OF_ACCOUNT} order by opened_at, id`,
    of,
  );
}

function findTakeover(db: Queryable, of: Of) {
  return db.find<HistoryTakeover>(
    `select taken_over_at, handed_back_at, coalesce(status = 'monitoring', false) as is_watched, action, because
     from payment_retry.takeovers left join payment_retry.signals using (account, invoice_id)
     where invoice_id = $1 and ${OF_ACCOUNT}`,
    of,
  );
}

export interface Delivery {
  kind: OutboxKind;
  id: string;
  /** The delivered version. */
  deliveredAt: DateTime<true>;
  /** The service's request id; null if it returned none. */
  requestId: string | null;
}

/** Deliveries of the invoice, its subscription and its payment attempts. */
export function listDeliveries(db: Queryable, { account, invoiceId }: InvoiceKey) {
  return db.query<Delivery>(
    `select kind, id, delivered_version as delivered_at, delivered_request as request_id from (
       select 1 as place, 'subscriptions' as kind, s.id, s.delivered_version, s.delivered_request
       from payment_retry.invoices i join payment_retry.subscriptions s on s.account = i.account and s.id = i.subscription_id
       where i.account = $1 and i.id = $2
       union all
       select 2, 'invoices', id, delivered_version, delivered_request from payment_retry.invoices where account = $1 and id = $2
       union all
       select 3, 'transactions', coalesce(message->>'id', id::text), delivered_version, delivered_request
       from payment_retry.attempts where account = $1 and invoice_id = $2) as sent
     where delivered_version is not null order by place, delivered_version`,
    [account, invoiceId],
  );
}
