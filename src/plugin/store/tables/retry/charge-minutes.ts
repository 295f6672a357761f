/** Charges of the whole installation by minute. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';

/** Counts a new charge and returns its minute's total of all processes. */
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

/** Restarts the count after a pause. */
export async function forgetCharges(tx: Queryable): Promise<void> {
  await tx.query(`delete from payment_retry.charge_minutes`);
}
