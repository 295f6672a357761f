import { DateTime } from 'luxon';
import type { Queryable } from './database.ts';

const PAUSE = 'delivery-pause';
const EVENTS = 'events';

/** Nothing is delivered before `until`, because the last `failures` deliveries in a row did not get through. */
export interface DeliveryPause {
  until: DateTime;
  failures: number;
}

export async function findDeliveryPause(db: Queryable, account: string): Promise<DeliveryPause | undefined> {
  const value = await findCursor(db, account, PAUSE);
  if (value === undefined) return undefined;
  const [until, failures] = value.split(' ');
  return { until: DateTime.fromISO(until ?? '', { zone: 'utc' }), failures: Number(failures) };
}

export async function setDeliveryPause(
  db: Queryable,
  account: string,
  pause: DeliveryPause,
  now: DateTime,
): Promise<void> {
  await setCursor(db, { account, name: PAUSE, value: `${pause.until.toISO()} ${pause.failures}` }, now);
}

export async function clearDeliveryPause(db: Queryable, account: string): Promise<void> {
  await db.query(`delete from payment_retry.cursors where account = $1 and name = $2`, [account, PAUSE]);
}

/** Every event that Stripe created up to this instant is known to be recorded. */
export async function findEventsCursor(db: Queryable, account: string): Promise<DateTime | undefined> {
  const value = await findCursor(db, account, EVENTS);
  return value === undefined ? undefined : DateTime.fromISO(value, { zone: 'utc' });
}

export async function setEventsCursor(
  db: Queryable,
  account: string,
  upTo: DateTime,
  now: DateTime,
): Promise<void> {
  await setCursor(db, { account, name: EVENTS, value: upTo.toISO() }, now);
}

async function findCursor(db: Queryable, account: string, name: string): Promise<string | undefined> {
  const [row] = await db.query<{ value: string }>(
    `select value from payment_retry.cursors where account = $1 and name = $2`,
    [account, name],
  );
  return row?.value;
}

async function setCursor(
  db: Queryable,
  cursor: { account: string; name: string; value: string | null },
  now: DateTime,
): Promise<void> {
  await db.query(
    `insert into payment_retry.cursors (account, name, value, updated_at) values ($1, $2, $3, $4)
     on conflict (account, name) do update set value = excluded.value, updated_at = excluded.updated_at`,
    [cursor.account, cursor.name, cursor.value, now.toISO()],
  );
}
