import type { IngestKind } from '../../core/contract/contract.ts';
import type { Queryable } from '../../core/database/database.ts';

type Column = readonly [name: string, field: string, type: 'text' | 'timestamptz'];

/** What a table has of each message besides its id. */
const OF_ALL: readonly Column[] = [
  ['state', 'state', 'text'],
  ['updated_at', 'updatedAt', 'timestamptz'],
  ['message', 'message', 'text'],
];
const COLUMNS: Readonly<Record<IngestKind, readonly Column[]>> = {
  subscriptions: OF_ALL,
  invoices: [
    ...OF_ALL,
    ['customer_id', 'customerId', 'text'],
    ['subscription_id', 'subscriptionId', 'text'],
    ['currency', 'currency', 'text'],
  ],
  transactions: [...OF_ALL, ['invoice_id', 'invoiceId', 'text'], ['created_at', 'createdAt', 'timestamptz']],
};

/**
 * Upserts a batch in one statement, and changes a row only if what came is newer. Returns the ids of the changed rows. Sorted by
 * id, so that two batches never deadlock.
 */
export async function upsertRecords(
  db: Queryable,
  organization: string,
  kind: IngestKind,
  messages: readonly object[],
): Promise<string[]> {
  const columns = COLUMNS[kind];
  const list = (write: (column: Column) => string) => columns.map(write).join(', ');
  return db.listValues<string>(
    `insert into retry_service.${kind} (organization, id, ${list(([name]) => name)})
     select $1, r.id, ${list(([, field]) => `r."${field}"`)}
     from json_to_recordset($2::json) as r(id text, ${list(([, field, type]) => `"${field}" ${type}`)})
     order by r.id
     on conflict (organization, id) do update set ${list(([name]) => `${name} = excluded.${name}`)}
     where (${kind}.updated_at, ${digitsOf(kind)}) < (excluded.updated_at, ${digitsOf('excluded')})
     returning id`,
    [organization, toRows(messages)],
  );
}

/** PostgreSQL's times end at microseconds. Two of one microsecond differ by the text, which has all digits. */
const digitsOf = (row: string) => `rtrim(${row}.message::json->>'updatedAt', 'Z') collate "C"`;

/** The message travels as a string within the JSON: its \u0000 is then text to PostgreSQL, not a character. */
function toRows(messages: readonly object[]): string {
  return JSON.stringify(messages.map((message) => ({ ...message, message: JSON.stringify(message) })));
}
