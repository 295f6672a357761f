/**
 * Upserts of what clients send. Each takes a whole batch in one statement, changes a row only if what came is
 * newer, and returns the ids of the rows it changed. Sorted by id, so that two batches never deadlock.
 */
import type {
  ExtendedInvoice,
  ExtendedSubscription,
  ExtendedTransaction,
} from '../../core/contract/contract-extensions.ts';
import type { Queryable } from '../../core/database/database.ts';

interface ChangedRow {
  id: string;
}

/** PostgreSQL's times end at microseconds. Two of one microsecond differ by the text, which has all digits. */
const isNewerThan = (table: string) =>
  `(${table}.updated_at, ${digitsOf(table)}) < (excluded.updated_at, ${digitsOf('excluded')})`;
const digitsOf = (row: string) => `rtrim(${row}.message::json->>'updatedAt', 'Z') collate "C"`;

export async function upsertSubscriptions(
  db: Queryable,
  organization: string,
  messages: readonly ExtendedSubscription[],
): Promise<string[]> {
  const rows = await db.query<ChangedRow>(
    `insert into retry_service.subscriptions (organization, id, state, updated_at, message)
     select $1, r.id, r.state, r."updatedAt", r.message
     from json_to_recordset($2::json) as r(id text, state text, "updatedAt" timestamptz, message text)
     order by r.id
     on conflict (organization, id) do update
     set state = excluded.state, updated_at = excluded.updated_at, message = excluded.message
     where ${isNewerThan('subscriptions')}
     returning id`,
    [organization, toRows(messages)],
  );
  return rows.map((row) => row.id);
}

export async function upsertInvoices(
  db: Queryable,
  organization: string,
  messages: readonly ExtendedInvoice[],
): Promise<string[]> {
  const rows = await db.query<ChangedRow>(
    `insert into retry_service.invoices
       (organization, id, customer_id, subscription_id, state, currency, updated_at, message)
     select $1, r.id, r."customerId", r."subscriptionId", r.state, r.currency, r."updatedAt", r.message
     from json_to_recordset($2::json) as r(id text, "customerId" text, "subscriptionId" text, state text,
       currency text, "updatedAt" timestamptz, message text)
     order by r.id
     on conflict (organization, id) do update
     set customer_id = excluded.customer_id, subscription_id = excluded.subscription_id,
         state = excluded.state, currency = excluded.currency, updated_at = excluded.updated_at,
         message = excluded.message
     where ${isNewerThan('invoices')}
     returning id`,
    [organization, toRows(messages)],
  );
  return rows.map((row) => row.id);
}

export async function upsertTransactions(
  db: Queryable,
  organization: string,
  messages: readonly ExtendedTransaction[],
): Promise<string[]> {
  const rows = await db.query<ChangedRow>(
    `insert into retry_service.transactions
       (organization, id, invoice_id, state, created_at, updated_at, message)
     select $1, r.id, r."invoiceId", r.state, r."createdAt", r."updatedAt", r.message
     from json_to_recordset($2::json) as r(id text, "invoiceId" text, state text, "createdAt" timestamptz,
       "updatedAt" timestamptz, message text)
     order by r.id
     on conflict (organization, id) do update
     set invoice_id = excluded.invoice_id, state = excluded.state, created_at = excluded.created_at,
         updated_at = excluded.updated_at, message = excluded.message
     where ${isNewerThan('transactions')}
     returning id`,
    [organization, toRows(messages)],
  );
  return rows.map((row) => row.id);
}

/** The message travels as a string within the JSON: its \u0000 is then text to PostgreSQL, not a character. */
function toRows(messages: readonly object[]): string {
  return JSON.stringify(messages.map((message) => ({ ...message, message: JSON.stringify(message) })));
}
