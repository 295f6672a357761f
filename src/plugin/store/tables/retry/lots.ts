/** Control group and treated customers of an experiment against Stripe's own retries. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';

/** Whose retries a customer's failed invoices get: ours or Stripe's. */
export type Arm = 'ours' | 'control';

interface Failed {
  account: string;
  customerId: string;
  invoiceId: string;
}

/** An event may report a failure a little later than its charge. */
export const LATE = `interval '1 day'`;

/** Whether lot `l` applies to an invoice: it failed first while the lot was in force. Earlier failures are finished as begun. */
const HOLDS = `coalesce((select min(a.started_at) from payment_retry.attempts a where a.account = l.account and a.invoice_id = $3
    and a.outcome in ('declined', 'requires_action')), l.drawn_at) between l.drawn_at - ${LATE} and coalesce(l.ended_at, 'infinity')`;

/**
 * Keeps an existing lot, even if the setting changes; a new experiment replaces an ended one. An invoice that failed before it is
 * not assigned: it is finished as begun.
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

/** Undefined for an invoice outside any experiment. */
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
