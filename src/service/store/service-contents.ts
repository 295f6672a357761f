/** The service's contents, for comparison with the sent records. */
import type { DateTime } from 'luxon';
import { NOT_MADE } from '../../core/contract/contract-extensions.ts';
import type { Queryable } from '../../core/database/database.ts';

export interface ListedCase {
  invoiceId: string;
  state: 'open' | 'closed';
  reason: string | null;
  reviewAt: DateTime<true> | null;
}

export async function listCases(db: Queryable, organization: string): Promise<ListedCase[]> {
  return db.query<ListedCase>(
    `select invoice_id, state, reason, review_at from retry_service.cases
     where organization = $1 order by invoice_id`,
    [organization],
  );
}

export interface ListedMessage {
  id: string;
  /** The message as received. */
  message: string;
}

export async function listSubscriptionMessages(
  db: Queryable,
  organization: string,
): Promise<ListedMessage[]> {
  return db.query<ListedMessage>(
    `select id, message from retry_service.subscriptions where organization = $1 order by id`,
    [organization],
  );
}

/** Every attempt: what tells only that a request was not carried out is none. */
export async function listAllTransactions(db: Queryable, organization: string): Promise<ListedMessage[]> {
  return db.query<ListedMessage>(
    `select id, message from retry_service.transactions where organization = $1 and state <> $2 order by id`,
    [organization, NOT_MADE],
  );
}
