/** Invoices that are unsettled here and missing from a run's lists. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';

/** Records listed open and draft invoices, and charges. */
export async function recordSeen(db: Queryable, run: number, ids: readonly string[]) {
  await db.query(
    `insert into payment_retry.backfill_seen (run, id) select $1, unnest($2::text[])
     on conflict (run, id) do nothing`,
    [run, ids],
  );
}

/** Ordered by id, after one. */
export function listUnseenInvoices(
  db: Queryable,
  scope: { account: string; run: number },
  { after, limit }: { after: string | null; limit: number },
) {
  return db.listValues<string>(
    `select i.id from payment_retry.invoices i
     where i.account = $1 and i.status in ('open', 'draft') and ($3::text is null or i.id > $3)
       and not exists (select 1 from payment_retry.backfill_seen s where s.run = $2 and s.id = i.id)
     order by i.id limit $4`,
    [scope.account, scope.run, after, limit],
  );
}

/** Marks an invoice that Stripe no longer has. False if it has changed since it was read. */
export function markInvoiceGone(
  db: Queryable,
  invoice: { account: string; id: string; replaces: DateTime; version: DateTime },
) {
  return db.has(
    `update payment_retry.invoices
     set status = 'deleted', message = null, version = $4, version_source = 'read'
     where account = $1 and id = $2 and version <= $3 returning id`,
    [invoice.account, invoice.id, invoice.replaces, invoice.version],
  );
}

/** Open, attempted invoices without a recorded attempt, ordered by id, after one. */
export function listUnchargedInvoices(
  db: Queryable,
  account: string,
  { after, limit }: { after: string | null; limit: number },
) {
  return db.listValues<string>(
    `select i.id from payment_retry.invoices i
     where i.account = $1 and i.status = 'open' and i.attempt_count > 0 and i.amount_remaining > 0
       and ($2::text is null or i.id > $2)
       and not exists (
         select 1 from payment_retry.attempts a where a.account = i.account and a.invoice_id = i.id)
     order by i.id limit $3`,
    [account, after, limit],
  );
}
