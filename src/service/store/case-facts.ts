/** What a decision about one invoice rests on. */
import type { Suggestion } from '../../contract.ts';
import type { Queryable } from '../../store/database.ts';

export interface CaseInvoice {
  id: string;
  customerId: string;
  subscriptionId: string | null;
  state: string;
  currency: string;
  updatedAt: Date;
  subscriptionState: string | null;
  /** As received. */
  subscriptionMessage: string | null;
}

export async function findCaseInvoice(
  db: Queryable,
  organization: string,
  invoiceId: string,
): Promise<CaseInvoice | undefined> {
  const [row] = await db.query<CaseInvoice>(
    `select i.id, i.customer_id as "customerId", i.subscription_id as "subscriptionId", i.state, i.currency,
            i.updated_at as "updatedAt", s.state as "subscriptionState",
            s.message as "subscriptionMessage"
     from retry_service.invoices i
     left join retry_service.subscriptions s
       on s.organization = i.organization and s.id = i.subscription_id
     where i.organization = $1 and i.id = $2`,
    [organization, invoiceId],
  );
  return row;
}

/** The messages of all transactions of an invoice as received, oldest first. */
export async function listTransactionMessages(
  db: Queryable,
  organization: string,
  invoiceId: string,
): Promise<string[]> {
  const rows = await db.query<{ message: string }>(
    `select message from retry_service.transactions
     where organization = $1 and invoice_id = $2
     order by created_at, updated_at, id`,
    [organization, invoiceId],
  );
  return rows.map((row) => row.message);
}

export interface CaseAction {
  id: string;
  suggestion: Suggestion;
  idealRetryAt: Date;
  reason: string;
  decidedFor: string;
  status: ActionStatus;
  sendAttempts: number;
  /** The receiver said that it will not take it. */
  isRefused: boolean;
  /** First read in the listing while it was outstanding. */
  listedAt: Date | null;
  createdAt: Date;
  /** What came of it. */
  transactionId: string | null;
  arm: string | null;
}

export type ActionStatus = 'PENDING' | 'SENT' | 'SUCCEEDED' | 'FAILED' | 'CANCELED';

export async function listCaseActions(
  db: Queryable,
  organization: string,
  invoiceId: string,
): Promise<CaseAction[]> {
  return db.query<CaseAction>(
    `select id, suggestion, ideal_retry_at as "idealRetryAt", reason, decided_for as "decidedFor", status,
            send_attempts as "sendAttempts", is_refused as "isRefused", listed_at as "listedAt",
            created_at as "createdAt", transaction_id as "transactionId", arm
     from retry_service.recovery_actions
     where organization = $1 and invoice_id = $2
     order by position`,
    [organization, invoiceId],
  );
}
