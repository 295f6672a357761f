/** Invoices taken over from Stripe's own retries, and those handed back. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';

export interface InvoiceKey {
  account: string;
  invoiceId: string;
}

/** Recorded before the call to Stripe, so that a crash between the two loses no invoice. */
export async function recordTakeover(
  db: Queryable,
  { account, invoiceId }: InvoiceKey,
  { at, isStop = false }: { at: DateTime; isStop?: boolean },
) {
  await db.query(
    `insert into payment_retry.takeovers (account, invoice_id, taken_over_at, is_stop) values ($1, $2, $3, $4)
     on conflict (account, invoice_id) do update
     set taken_over_at = excluded.taken_over_at, is_stop = excluded.is_stop, handed_back_at = null, kept_at = null
     where takeovers.handed_back_at is not null`,
    [account, invoiceId, at, isStop],
  );
}

/** Whether Stripe's collection is off because of us; `byStop`: because a person stopped the invoice. */
export function isTakenOver(db: Queryable, key: InvoiceKey, byStop?: 'byStop') {
  return db.has(
    `select 1 as one from payment_retry.takeovers
     where account = $1 and invoice_id = $2 and handed_back_at is null and (is_stop or $3::text is null)`,
    [key.account, key.invoiceId, byStop],
  );
}

/** An invoice handed back once is not taken over again: its next failure would undo the return. */
export function wasHandedBack(db: Queryable, key: InvoiceKey) {
  return db.has(
    `select 1 as one from payment_retry.takeovers
     where account = $1 and invoice_id = $2 and handed_back_at is not null`,
    [key.account, key.invoiceId],
  );
}

export async function recordHandback(db: Queryable, key: InvoiceKey, now: DateTime) {
  await db.query(
    `update payment_retry.takeovers set handed_back_at = $3
     where account = $1 and invoice_id = $2 and handed_back_at is null`,
    [key.account, key.invoiceId, now],
  );
}

/** Records a look at an invoice that was not handed back. False if there was one before. */
export async function recordKept(db: Queryable, key: InvoiceKey, now: DateTime): Promise<boolean> {
  const rows = await db.query<{ isFirst: boolean }>(
    `update payment_retry.takeovers t set kept_at = $3
     from (select account, invoice_id, kept_at from payment_retry.takeovers
           where account = $1 and invoice_id = $2 for update) before
     where t.account = before.account and t.invoice_id = before.invoice_id
     returning before.kept_at is null as is_first`,
    [key.account, key.invoiceId, now],
  );
  return rows[0]?.isFirst ?? false;
}

/** Invoices in our hands, longest first; only `invoiceIds` if given. */
export function listTakenOver(db: Queryable, invoiceIds?: readonly string[]) {
  return db.query<InvoiceKey>(
    `select account, invoice_id from payment_retry.takeovers
     where handed_back_at is null and ($1::text[] is null or invoice_id = any($1::text[]))
     order by taken_over_at`,
    [invoiceIds],
  );
}

/**
 * Open invoices in our hands since before `before` without plans or instructions since, not given up, not looked at since
 * `lookedAt`, and without an open case that the embedded service reviews.
 */
export function listForgotten(
  db: Queryable,
  { before, lookedAt }: { before: DateTime; lookedAt: DateTime },
  limit: number,
) {
  return db.query<InvoiceKey>(
    `select t.account, t.invoice_id from payment_retry.takeovers t
     join payment_retry.invoices i on i.account = t.account and i.id = t.invoice_id and i.status = 'open'
     where t.handed_back_at is null and t.taken_over_at <= $1 and (t.kept_at is null or t.kept_at <= $2)
       and not exists (select 1 from payment_retry.instructions s where s.account = t.account
         and s.invoice_id = t.invoice_id and (s.received_at > $1 or s.type = 'stop'))
       and not exists (select 1 from payment_retry.actions a where a.account = t.account
         and a.invoice_id = t.invoice_id
         and (a.state in ('scheduled', 'running', 'undecided') or a.closed_at > $1))
       and not exists (select 1 from payment_retry.endings e where e.account = t.account
         and e.invoice_id = t.invoice_id)
       and not exists (select 1 from payment_retry.recovery_cases c where c.account = t.account
         and c.invoice_id = t.invoice_id and c.state = 'open' and (c.review_at is null or c.review_at > $1))
     order by t.taken_over_at limit $3`,
    [before, lookedAt, limit],
  );
}
