/** A whole page of Stripe's objects in one statement: stored where it is news, left alone where it is not. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../engine/database.ts';
import type { InvoiceRow } from '../sync/invoices.ts';
import type { SubscriptionRow } from '../sync/subscriptions.ts';

/** A row with the newest stored version that it may replace: what is stored later than that is not known to be older. */
export interface PageRow<Row> {
  row: Row;
  replaces: DateTime;
}

/**
 * `added`: not stored before. `repaired`: stored in another state. `equal`: nothing was written. `contested`: stored
 * in another state that may be the newer one, and left alone.
 */
export type PageVerdict = 'added' | 'repaired' | 'equal' | 'contested';

export interface PageResult {
  id: string;
  verdict: PageVerdict;
  /** The service has to hear of it. */
  isNews: boolean;
}

interface PageTable {
  readonly name: string;
  /** Beside account, id, message and version, with their types. */
  readonly columns: Readonly<Record<string, string>>;
  /** What the message becomes, of `s`, the stored one if any, and `p`, the page's. */
  readonly message: string;
}

const SUBSCRIPTIONS: PageTable = {
  name: 'payment_retry.subscriptions',
  columns: { customer_id: 'text', status: 'text', unmapped_reason: 'jsonb' },
  message: 'coalesce(p.message, jsonb_strip_nulls(s.message || p.ending), s.message)',
};

const INVOICES: PageTable = {
  name: 'payment_retry.invoices',
  columns: {
    customer_id: 'text',
    subscription_id: 'text',
    status: 'text',
    amount_remaining: 'bigint',
    currency: 'text',
    attempt_count: 'integer',
    next_attempt_at: 'timestamptz',
    is_first: 'boolean',
    unmapped_reason: 'jsonb',
  },
  message: 'p.message',
};

export function upsertSubscriptionPage(
  db: Queryable,
  scope: { account: string; run: number },
  page: readonly PageRow<SubscriptionRow>[],
): Promise<PageResult[]> {
  const records = page.map(({ row, replaces }) => ({
    ...sharedFields(row, replaces),
    ending: row.ending,
    customer_id: row.customerId,
    status: row.status,
  }));
  return upsertPage(db, SUBSCRIPTIONS, scope, records);
}

export function upsertInvoicePage(
  db: Queryable,
  scope: { account: string; run: number },
  page: readonly PageRow<InvoiceRow>[],
): Promise<PageResult[]> {
  const records = page.map(({ row, replaces }) => ({
    ...sharedFields(row, replaces),
    customer_id: row.customerId,
    subscription_id: row.subscriptionId,
    status: row.status,
    amount_remaining: row.amountRemaining,
    currency: row.currency,
    attempt_count: row.attemptCount,
    next_attempt_at: row.nextAttemptAt,
    is_first: row.isFirst ?? false,
  }));
  return upsertPage(db, INVOICES, scope, records);
}

function sharedFields(row: SubscriptionRow | InvoiceRow, replaces: DateTime) {
  return {
    id: row.id,
    message: row.message,
    unmapped_reason: row.unmappedReason,
    version: row.version,
    replaces,
  };
}

/**
 * `updatedAt` in a message is its version and no difference. A row of which only other columns changed takes the new
 * version without becoming dirty: what was delivered is still what there is to say.
 */
async function upsertPage(
  db: Queryable,
  { name, columns, message }: PageTable,
  scope: { account: string; run: number },
  records: readonly object[],
): Promise<PageResult[]> {
  const names = Object.keys(columns);
  const types = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
  const list = (prefix: string) => names.map((column) => `${prefix}.${column}`).join(', ');
  return db.query<PageResult>(
    `with page as materialized (
       select * from json_to_recordset($3::json)
         as r(id text, ${types.join(', ')}, message jsonb, ending jsonb, version timestamptz, replaces timestamptz)
     ), stored as materialized (
       select t.* from ${name} t join page p on p.id = t.id where t.account = $1 order by t.id for update of t
     ), judged as materialized (
       select p.id, ${list('p')}, m.message, p.version,
         m.message is not null and (s.message - 'updatedAt') is distinct from (m.message - 'updatedAt') as is_news,
         case when s.id is null then 'added'
           when (${list('s')}, s.message - 'updatedAt') is not distinct from (${list('p')}, m.message - 'updatedAt')
             then 'equal'
           when s.version <= p.replaces then 'repaired' else 'contested' end as verdict
       from page p left join stored s on s.id = p.id
       cross join lateral (select ${message} as message) m
     ), changed as (
       update ${name} t
       set ${names.map((column) => `${column} = j.${column}`).join(', ')}, message = j.message, version = j.version,
           version_source = 'read', backfill_run = case when j.is_news then $2::bigint else t.backfill_run end,
           delivered_version = case when not j.is_news and t.delivered_version = t.version then j.version
             else t.delivered_version end,
           refused_version = case when not j.is_news and t.refused_version = t.version then j.version
             else t.refused_version end
       from judged j where t.account = $1 and t.id = j.id and j.verdict = 'repaired'
     ), inserted as (
       insert into ${name} (account, id, ${names.join(', ')}, message, version, version_source, backfill_run)
       select $1, j.id, ${list('j')}, j.message, j.version, 'read', case when j.is_news then $2::bigint end
       from judged j where j.verdict = 'added' order by j.id
       on conflict (account, id) do nothing returning id
     )
     select j.id, j.is_news,
       case when j.verdict = 'added' and i.id is null then 'contested' else j.verdict end as verdict
     from judged j left join inserted i on i.id = j.id`,
    [scope.account, scope.run, JSON.stringify(records)],
  );
}

/** Invoices of these subscriptions for which something is scheduled. */
export async function listScheduledInvoices(
  db: Queryable,
  account: string,
  subscriptionIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select distinct i.id from payment_retry.invoices i
     join payment_retry.actions a on a.account = i.account and a.invoice_id = i.id
     where i.account = $1 and i.subscription_id = any($2::text[]) and a.state in ('scheduled', 'running', 'undecided')`,
    [account, subscriptionIds],
  );
  return rows.map((row) => row.id);
}
