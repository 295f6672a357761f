/** A person's hold or release of an invoice, or hold of a customer; it outlasts later instructions. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { CustomerKey } from '../forgotten.ts';
import type { InvoiceKey } from './takeovers.ts';

export interface Hold {
  /** The person's reason for the hold or release. */
  reason: string;
  heldAt: DateTime<true> | null;
  releasedAt: DateTime<true> | null;
}

/**
 * The hold or release in force: the invoice's own, or its customer's. `customerId` finds the latter before the invoice is stored, or for
 * a subscription. Undefined if no person decided.
 */
export function findHold(
  db: Queryable,
  { account, invoiceId, customerId }: InvoiceKey & { readonly customerId?: string | undefined },
) {
  return db.find<Hold>('select reason, held_at, released_at from payment_retry.hold_on($1, $2, $3)', [
    account,
    invoiceId,
    customerId,
  ]);
}

export interface HoldChange {
  account: string;
  /** Or a customer's id, for all of the customer's invoices. */
  invoiceId: string;
  reason: string;
  at: DateTime;
}

export function holdInvoice(db: Queryable, { account, invoiceId, reason, at }: HoldChange) {
  return db.has(
    `insert into payment_retry.holds (account, invoice_id, reason, held_at) values ($1, $2, $3, $4)
     on conflict (account, invoice_id) do update
     set reason = excluded.reason, held_at = excluded.held_at, released_at = null
     where holds.released_at is not null
     returning invoice_id`,
    [account, invoiceId, reason, at],
  );
}

/** Ends the hold of a customer. Invoices stopped one by one stay so. Returns its start; undefined without one. */
export function endCustomerHold(db: Queryable, { account, customerId }: CustomerKey) {
  return db.findValue<DateTime<true>>(
    'delete from payment_retry.holds where account = $1 and invoice_id = $2 returning held_at',
    [account, customerId],
  );
}

/** Also releases an invoice that was not held: disputes and cancellations before `at` are no obstacle any more. */
export async function releaseInvoice(db: Queryable, { account, invoiceId, reason, at }: HoldChange) {
  await db.query(
    `insert into payment_retry.holds (account, invoice_id, reason, released_at) values ($1, $2, $3, $4)
     on conflict (account, invoice_id) do update set reason = excluded.reason, released_at = excluded.released_at`,
    [account, invoiceId, reason, at],
  );
}

/** Whether anything about the invoice changed since its release, or since another audit entry. */
export function hasNewsSince(
  db: Queryable,
  { account, invoiceId }: InvoiceKey,
  releasedAt: DateTime<true>,
  line?: number,
) {
  return db.getValue<boolean>(
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
}

export function isHeld(hold: Hold | undefined): boolean {
  return hold !== undefined && hold.releasedAt === null;
}
