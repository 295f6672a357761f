import { DateTime } from 'luxon';
import type { Queryable } from './database.ts';

const PAUSE = 'delivery-pause';

/** Nothing is delivered before `until`, because the last `failures` deliveries in a row did not get through. */
export interface DeliveryPause {
  until: DateTime;
  failures: number;
}

export async function findDeliveryPause(db: Queryable, account: string): Promise<DeliveryPause | undefined> {
  const [row] = await db.query<{ value: string }>(
    `select value from payment_retry.cursors where account = $1 and name = $2`,
    [account, PAUSE],
  );
  if (!row) return undefined;
  const [until, failures] = row.value.split(' ');
  return { until: DateTime.fromISO(until ?? '', { zone: 'utc' }), failures: Number(failures) };
}

export async function setDeliveryPause(
  db: Queryable,
  account: string,
  pause: DeliveryPause,
  now: DateTime,
): Promise<void> {
  await db.query(
    `insert into payment_retry.cursors (account, name, value, updated_at) values ($1, $2, $3, $4)
     on conflict (account, name) do update set value = excluded.value, updated_at = excluded.updated_at`,
    [account, PAUSE, `${pause.until.toISO()} ${pause.failures}`, now.toISO()],
  );
}

export async function clearDeliveryPause(db: Queryable, account: string): Promise<void> {
  await db.query(`delete from payment_retry.cursors where account = $1 and name = $2`, [account, PAUSE]);
}
