/** A person's word on an invoice, which outlasts whatever the service or Stripe say later. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { InvoiceKey } from './takeovers.ts';

export interface Hold {
  /** Why the person held or released it. */
  reason: string;
  heldAt: DateTime<true> | null;
  /** Null while it is held. */
  releasedAt: DateTime<true> | null;
}

/** Undefined if no person ever said anything about the invoice. */
export async function findHold(db: Queryable, account: string, invoiceId: string): Promise<Hold | undefined> {
  const [row] = await db.query<Hold>(
    `select reason, held_at, released_at from payment_retry.holds
     where account = $1 and invoice_id = $2`,
    [account, invoiceId],
  );
  return row;
}

export interface HoldChange {
  account: string;
  invoiceId: string;
  reason: string;
  at: DateTime;
}

/** Returns false if it is held already. */
export async function holdInvoice(
  db: Queryable,
  { account, invoiceId, reason, at }: HoldChange,
): Promise<boolean> {
  const rows = await db.query(
    `insert into payment_retry.holds (account, invoice_id, reason, held_at) values ($1, $2, $3, $4)
     on conflict (account, invoice_id) do update
     set reason = excluded.reason, held_at = excluded.held_at, released_at = null
     where holds.released_at is not null
     returning invoice_id`,
    [account, invoiceId, reason, at],
  );
  return rows.length > 0;
}

/** Also where nobody held it: a dispute or a canceled subscription before `at` is no obstacle any more. */
export async function releaseInvoice(
  db: Queryable,
  { account, invoiceId, reason, at }: HoldChange,
): Promise<void> {
  await db.query(
    `insert into payment_retry.holds (account, invoice_id, reason, released_at) values ($1, $2, $3, $4)
     on conflict (account, invoice_id) do update set reason = excluded.reason, released_at = excluded.released_at`,
    [account, invoiceId, reason, at],
  );
}

/** Whether anything was said of the invoice, tried, or changed at Stripe since a person released it; or since another line of the audit. */
export async function hasNewsSince(
  db: Queryable,
  { account, invoiceId }: InvoiceKey,
  releasedAt: DateTime<true>,
  line?: number,
): Promise<boolean> {
  const [row] = await db.query<{ isNews: boolean }>(
    `select exists (
       select 1 from payment_retry.audit where account = $1 and invoice_id = $2 and id > coalesce($4, (
         select max(id) from payment_retry.audit where account = $1 and invoice_id = $2 and kind = 'operator.released'))
       union all select 1 from payment_retry.invoices where account = $1 and id = $2 and version > $3
       union all select 1 from payment_retry.invoices i join payment_retry.subscriptions s
         on s.account = i.account and s.id = i.subscription_id where i.account = $1 and i.id = $2 and s.version > $3
       union all select 1 from payment_retry.disputes where account = $1 and invoice_id = $2 and opened_at > $3
       union all select 1 from payment_retry.attempts a join payment_retry.card_warnings w
         on w.account = a.account and (w.fingerprint = a.fingerprint or w.payment_method = a.payment_method)
         where a.account = $1 and a.invoice_id = $2 and w.opened_at > $3) as is_news`,
    [account, invoiceId, releasedAt, line],
  );
  return row?.isNews ?? true;
}

/** What a hold keeps from being collected. */
export function isHeld(hold: Hold | undefined): boolean {
  return hold !== undefined && hold.releasedAt === null;
}
