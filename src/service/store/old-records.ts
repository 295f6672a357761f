/** What goes once it is settled and old. The times are the clients': of the payments, not of when they were received. */
import { DateTime, Duration } from 'luxon';
import type { Queryable, Transaction } from '../../core/database/database.ts';

/** The time for which clients may be quiet. */
const SILENCE = Duration.fromObject({ days: 1 });

/** Our time, but never much later than the latest that a client has sent: a clock set ahead makes nothing old. */
export async function readKnownTime(db: Queryable, now: DateTime): Promise<DateTime | undefined> {
  const latest = await db.findValue<DateTime<true>>(
    `select max(updated_at) from retry_service.invoices where state <> 'INVOICE_STATE_UNPAID'`,
  );
  return latest && DateTime.min(now, latest.plus(SILENCE));
}

/** Where the last look ended. */
export interface SettledInvoice {
  readonly organization: string;
  readonly id: string;
  /** PostgreSQL's own text, which keeps every digit. */
  readonly updatedAt: string;
}

/** Not owed since before then, the first first. */
export async function listSettledInvoices(
  db: Queryable,
  { before, limit }: { before: DateTime; limit: number },
  after: SettledInvoice | undefined,
): Promise<SettledInvoice[]> {
  return db.query<SettledInvoice>(
    // `invoices.updated_at`: the plain name would be the text's, which no index sorts.
    `select organization, id, updated_at::text as updated_at from retry_service.invoices
     where state <> 'INVOICE_STATE_UNPAID' and updated_at < $1 and (updated_at, organization, id) > ($2, $3, $4)
     order by invoices.updated_at, organization, id limit $5`,
    [before, after?.updatedAt ?? '-infinity', after?.organization ?? '', after?.id ?? '', limit],
  );
}

const IS_NEEDED = `
  exists (select 1 from retry_service.cases c where c.organization = i.organization and c.invoice_id = i.id
    and (c.state = 'open' or c.updated_at >= $3))
  or exists (select 1 from retry_service.transactions t where t.organization = i.organization and t.invoice_id = i.id
    and t.updated_at >= $3)
  or exists (select 1 from retry_service.recovery_actions a where a.organization = i.organization and a.invoice_id = i.id
    and (a.status in ('PENDING', 'SENT') or a.updated_at >= $3))`;

const STATEMENTS = [
  `delete from retry_service.transactions where organization = $1 and invoice_id = any($2::text[])`,
  `delete from retry_service.recovery_actions where organization = $1 and invoice_id = any($2::text[])`,
  `delete from retry_service.cases where organization = $1 and invoice_id = any($2::text[])`,
  `delete from retry_service.invoices where organization = $1 and id = any($2::text[])`,
];

/** Deletes invoices with all their records, except for those still needed. Returns the number of rows. */
export async function deleteInvoices(
  tx: Transaction,
  organization: string,
  ids: readonly string[],
  before: DateTime,
): Promise<number> {
  const gone = await tx.listValues<string>(
    `select i.id from retry_service.invoices i
     where i.organization = $1 and i.id = any($2::text[]) and not (${IS_NEEDED}) order by i.id for update of i skip locked`,
    [organization, ids, before],
  );
  let count = 0;
  for (const statement of gone.length > 0 ? STATEMENTS : [])
    count += await tx.count(`${statement} returning 1 as one`, [organization, gone]);
  return count;
}
