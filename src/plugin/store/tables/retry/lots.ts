/** Control group and treated customers of an experiment against Stripe's own retries. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import { recordHostEvent } from '../host-events.ts';

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
 * not assigned: it is finished as begun. The host is notified of each member of the control group.
 */
export async function keepLot(
  db: Queryable,
  lot: Failed & { arm: Arm; percent: number; mode: string; at: DateTime },
) {
  const drawn = await db.query(
    `insert into payment_retry.lots as l (account, customer_id, arm, percent, mode, drawn_at)
     select $1, $2, $4, $5, $7, $6::timestamptz
     where not exists (select from payment_retry.attempts a where a.account = $1 and a.invoice_id = $3
       and a.started_at < $6::timestamptz - ${LATE})
     on conflict (account, customer_id) do update set
       arm = excluded.arm, percent = excluded.percent, mode = excluded.mode, drawn_at = excluded.drawn_at, ended_at = null
     where l.ended_at is not null returning 1 as one`,
    [lot.account, lot.customerId, lot.invoiceId, lot.arm, lot.percent, lot.at, lot.mode],
  );
  if (drawn.length === 0 || lot.arm !== 'control') return;
  const { account, customerId: customer, at } = lot;
  const data = { customer, against: 'stripe' };
  await recordHostEvent(db, { type: 'joinedControlGroup', account, at, data });
}

/** What a customer in the control group gets instead of our retries, and since when. */
export interface ControlGroup {
  readonly against: 'stripe' | 'schedule';
  readonly since: DateTime<true>;
}

/** The control group of a customer, or of an invoice's customer; null outside any. The schedule's counts while an invoice is unpaid. */
export async function findControlGroup(
  db: Queryable,
  { account, customer, invoice }: { readonly [Key in 'account' | 'customer' | 'invoice']?: unknown },
): Promise<ControlGroup | null> {
  if (customer === undefined && invoice === undefined) return null;
  const [row] = await db.query<ControlGroup>(
    `with payer as (
       select coalesce($1, '${OWN_ACCOUNT}') as account, $2 as customer_id where $2::text is not null
       union all
       select i.account, i.customer_id from (select '${OWN_ACCOUNT}' as account union select account from payment_retry.accounts) known
       join payment_retry.invoices i on i.account = known.account and i.id = $3 where coalesce(i.account = $1, true)
     )
     select 'stripe' as against, l.drawn_at as since from payer join payment_retry.lots l using (account, customer_id)
     where l.arm = 'control' and l.ended_at is null
     union all
     select 'schedule', c.opened_at from payer join payment_retry.failures f using (account, customer_id)
     join payment_retry.recovery_cases c on c.account = f.account and c.invoice_id = f.invoice_id
     where f.state = 'open' and c.is_on_static_schedule and c.drawn_percent is not null
     order by since limit 1`,
    [account, customer, invoice],
  );
  return row ?? null;
}

/** Undefined for an invoice outside any experiment. */
export function findArm(db: Queryable, { account, customerId, invoiceId }: Failed) {
  return db.findValue<Arm>(
    `select arm from payment_retry.lots l where account = $1 and customer_id = $2 and ${HOLDS}`,
    [account, customerId, invoiceId],
  );
}

export async function endLots(db: Queryable, now: DateTime) {
  await db.query(`update payment_retry.lots set ended_at = $1 where ended_at is null`, [now]);
}
