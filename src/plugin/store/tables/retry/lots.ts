/** Customers of an experiment against Stripe's own retries. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';

/** Whose retries a customer's failed invoices get. */
export type Arm = 'ours' | 'control';

interface Failed {
  account: string;
  customerId: string;
  invoiceId: string;
}

/** An event may say a little later than the charge that it failed. */
export const LATE = `interval '1 day'`;

/** Of the lot `l` and an invoice: it began to fail while the lot held. One that failed before is finished as it was begun. */
const HOLDS = `coalesce((select min(a.started_at) from payment_retry.attempts a where a.account = l.account and a.invoice_id = $3
    and a.outcome in ('declined', 'requires_action')), l.drawn_at) between l.drawn_at - ${LATE} and coalesce(l.ended_at, 'infinity')`;

/**
 * A lot that there is stays, also when the setting changes; after the end of a comparison the next one draws anew. Nothing is
 * drawn at a later failure of an invoice that began to fail before: it is finished as it was begun.
 */
export async function keepLot(
  db: Queryable,
  lot: Failed & { arm: Arm; percent: number; mode: string; at: DateTime },
): Promise<void> {
  await db.query(
    `insert into payment_retry.lots as l (account, customer_id, arm, percent, mode, drawn_at)
     select $1, $2, $4, $5, $7, $6::timestamptz
     where not exists (select from payment_retry.attempts a where a.account = $1 and a.invoice_id = $3
       and a.started_at < $6::timestamptz - ${LATE})
     on conflict (account, customer_id) do update set
       arm = excluded.arm, percent = excluded.percent, mode = excluded.mode, drawn_at = excluded.drawn_at, ended_at = null
     where l.ended_at is not null`,
    [lot.account, lot.customerId, lot.invoiceId, lot.arm, lot.percent, lot.at, lot.mode],
  );
}

/** Undefined where the invoice is in no comparison. */
export async function findArm(
  db: Queryable,
  { account, customerId, invoiceId }: Failed,
): Promise<Arm | undefined> {
  const [row] = await db.query<{ arm: Arm }>(
    `select arm from payment_retry.lots l where account = $1 and customer_id = $2 and ${HOLDS}`,
    [account, customerId, invoiceId],
  );
  return row?.arm;
}

export async function endLots(db: Queryable, now: DateTime): Promise<void> {
  await db.query(`update payment_retry.lots set ended_at = $1 where ended_at is null`, [now]);
}
