/** Stores a page of Stripe's objects in one statement; unchanged rows are left alone. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { setTo } from '../../../../core/database/rows.ts';
import type { MirrorRow, MirrorTable } from '../sync/mirrors.ts';

/** `replaces`: the newest stored version that the row may replace. */
export interface PageRow<Row> {
  row: Row;
  replaces: DateTime;
}

/** `added`: new. `repaired`: stored in another state. `equal`: unchanged. `contested`: stored in another, possibly newer state, and left alone. */
export type PageVerdict = 'added' | 'repaired' | 'equal' | 'contested';

export interface PageResult {
  id: string;
  verdict: PageVerdict;
  /** The service has to receive it. */
  isNews: boolean;
}

/**
 * Ignores `updatedAt`, the version, in comparisons. A row with changes in other columns only takes the new version without
 * becoming dirty.
 */
export function upsertPage(
  db: Queryable,
  { name, columns, given, give, message }: MirrorTable,
  { account, run, page }: { account: string; run: number; page: readonly PageRow<MirrorRow>[] },
) {
  const list = (prefix: string) => columns.map((column) => `${prefix}.${column}`).join(', ');
  return db.query<PageResult>(
    `with page as materialized (${given}), stored as materialized (
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
       set ${setTo(columns, 'j')}, message = j.message, version = j.version,
           version_source = 'read', backfill_run = case when j.is_news then $3::bigint else t.backfill_run end,
           delivered_version = case when not j.is_news and t.delivered_version = t.version then j.version
             else t.delivered_version end,
           refused_version = case when not j.is_news and t.refused_version = t.version then j.version
             else t.refused_version end
       from judged j where t.account = $1 and t.id = j.id and j.verdict = 'repaired'
     ), inserted as (
       insert into ${name} (account, id, ${columns.join(', ')}, message, version, version_source, backfill_run)
       select $1, j.id, ${list('j')}, j.message, j.version, 'read', case when j.is_news then $3::bigint end
       from judged j where j.verdict = 'added' order by j.id
       on conflict (account, id) do nothing returning id
     )
     select j.id, j.is_news,
       case when j.verdict = 'added' and i.id is null then 'contested' else j.verdict end as verdict
     from judged j left join inserted i on i.id = j.id`,
    [account, give(page.map(({ row, replaces }) => ({ ...row, replaces }))), run],
  );
}

/** Invoices of these subscriptions with a planned action. */
export function listScheduledInvoices(db: Queryable, account: string, subscriptionIds: readonly string[]) {
  return db.listValues<string>(
    `select distinct i.id from payment_retry.invoices i
     join payment_retry.actions a on a.account = i.account and a.invoice_id = i.id
     where i.account = $1 and i.subscription_id = any($2::text[]) and a.state in ('scheduled', 'running', 'undecided')`,
    [account, subscriptionIds],
  );
}
