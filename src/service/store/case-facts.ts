/** The basis of decisions, read for many invoices together. */
import type { DateTime } from 'luxon';
import type { Suggestion } from '../../core/contract/contract.ts';
import type { Queryable } from '../../core/database/database.ts';

export interface CaseInvoice {
  id: string;
  customerId: string;
  subscriptionId: string | null;
  state: string;
  currency: string;
  updatedAt: DateTime<true>;
  /** The message as received. */
  message: string;
  subscriptionState: string | null;
  /** The message as received. */
  subscriptionMessage: string | null;
}

export async function listCaseInvoices(
  db: Queryable,
  organization: string,
  invoiceIds: readonly string[],
): Promise<CaseInvoice[]> {
  return db.query<CaseInvoice>(
    `select i.id, i.customer_id, i.subscription_id, i.state, i.currency,
            i.updated_at, i.message, s.state as subscription_state,
            s.message as subscription_message
     from retry_service.invoices i
     left join retry_service.subscriptions s
       on s.organization = i.organization and s.id = i.subscription_id
     where i.organization = $1 and i.id = any($2::text[])`,
    [organization, invoiceIds],
  );
}

export interface CaseTransaction {
  invoiceId: string;
  /** The message as received. */
  message: string;
}

/** All transactions of these invoices, oldest first. */
export async function listCaseTransactions(
  db: Queryable,
  organization: string,
  invoiceIds: readonly string[],
): Promise<CaseTransaction[]> {
  return db.query<CaseTransaction>(
    `select invoice_id, message from retry_service.transactions
     where organization = $1 and invoice_id = any($2::text[])
     order by created_at, updated_at, id`,
    [organization, invoiceIds],
  );
}

export interface CaseAction {
  id: string;
  invoiceId: string;
  requestId: string;
  suggestion: Suggestion;
  idealRetryAt: DateTime<true>;
  reason: string;
  decidedFor: string;
  status: ActionStatus;
  sendAttempts: number;
  /** The receiver said that it will not take it. */
  isRefused: boolean;
  /** Neither sent nor read in the listing while there was time: nobody has received it. */
  isUnreceived: boolean;
  /** First read in the listing while it was outstanding. */
  listedAt: DateTime<true> | null;
  createdAt: DateTime<true>;
  /** What came of it. */
  transactionId: string | null;
}

/** `EXPIRED`: a request to the customer that the next step followed, or the end, without a payment. */
export type ActionStatus = 'PENDING' | 'SENT' | 'SUCCEEDED' | 'FAILED' | 'EXPIRED' | 'CANCELED';

/** Actions in the order in which they were made. */
export async function listCaseActions(
  db: Queryable,
  organization: string,
  invoiceIds: readonly string[],
): Promise<CaseAction[]> {
  return db.query<CaseAction>(
    `select id, invoice_id, request_id, suggestion, ideal_retry_at, reason,
            decided_for, status, send_attempts, is_refused,
            (undeliverable_at is not null and not is_refused and listed_at is null) as is_unreceived,
            listed_at, created_at, transaction_id
     from retry_service.recovery_actions
     where organization = $1 and invoice_id = any($2::text[])
     order by position`,
    [organization, invoiceIds],
  );
}

export interface PastAnswer {
  /** The invoice that is asked about, not the one that was paid or not. */
  invoiceId: string;
  state: string;
  createdAt: DateTime<true>;
  /** The message as received. */
  message: string;
}

/** Answers to the payments of the same customer's other invoices: for each invoice the latest ones, oldest first. */
export async function listPastAnswers(
  db: Queryable,
  organization: string,
  about: { invoiceIds: readonly string[]; limit: number },
): Promise<PastAnswer[]> {
  return db.query<PastAnswer>(
    `select i.id as invoice_id, past.state, past.created_at, past.message
     from retry_service.invoices i
     cross join lateral (
       select t.id, t.state, t.created_at, t.message
       from retry_service.invoices o
       join retry_service.transactions t on t.organization = o.organization and t.invoice_id = o.id
       where o.organization = i.organization and o.customer_id = i.customer_id and o.id <> i.id
         and t.state in ('TRANSACTION_STATE_PAID', 'TRANSACTION_STATE_FAILED')
       order by t.created_at desc, t.id limit $3) as past
     where i.organization = $1 and i.id = any($2::text[])
     order by past.created_at, past.id desc`,
    [organization, about.invoiceIds, about.limit],
  );
}
