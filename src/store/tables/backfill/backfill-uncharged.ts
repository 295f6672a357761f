import type { Queryable } from '../../engine/database.ts';

/** Invoices that were attempted and are open, of which no attempt is recorded; in the order of their ids, after one. */
export async function listUnchargedInvoices(
  db: Queryable,
  account: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select i.id from payment_retry.invoices i
     where i.account = $1 and i.status = 'open' and i.attempt_count > 0 and i.amount_remaining > 0
       and ($2::text is null or i.id > $2)
       and not exists (
         select 1 from payment_retry.attempts a where a.account = i.account and a.invoice_id = i.id)
     order by i.id limit $3`,
    [account, after, limit],
  );
  return rows.map((row) => row.id);
}
