/** How many charges the whole installation begins in a minute. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';

/** Counts one that begins, and returns how many its minute has, of all processes. */
export async function countCharge(tx: Queryable, now: DateTime): Promise<number> {
  const minute = now.startOf('minute');
  const [row] = await tx.query<{ charges: number }>(
    `insert into payment_retry.charge_minutes (minute, charges) values ($1, 1)
     on conflict (minute) do update set charges = charge_minutes.charges + 1 returning charges`,
    [minute],
  );
  const charges = row?.charges ?? 1;
  if (charges === 1)
    await tx.query(`delete from payment_retry.charge_minutes where minute < $1`, [
      minute.minus({ hours: 1 }),
    ]);
  return charges;
}

/** After a pause the count begins anew. */
export async function forgetCharges(tx: Queryable): Promise<void> {
  await tx.query(`delete from payment_retry.charge_minutes`);
}
