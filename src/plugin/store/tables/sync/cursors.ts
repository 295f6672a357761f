import { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { OUTBOX_KINDS, type OutboxKind } from './outbox.ts';

const EVENTS = 'events';

const pauseOf = (kind: OutboxKind) => `delivery-pause:${kind}`;

/** Pauses deliveries of a kind until `until`, after `failures` failed deliveries in a row. */
export interface DeliveryPause {
  kind: OutboxKind;
  until: DateTime;
  failures: number;
  /** Time of the first failure. */
  since: DateTime;
}

/** Leaves out pauses in the future, made by a clock that was ahead. */
export async function listDeliveryPauses(
  db: Queryable,
  account: string,
  now: DateTime,
): Promise<DeliveryPause[]> {
  const rows = await db.query<{ kind: OutboxKind; value: string }>(
    `select k.kind, c.value from unnest($2::text[], $4::text[]) as k (kind, name)
     join payment_retry.cursors c on c.account = $1 and c.name = k.name
     where c.updated_at <= $3::timestamptz + interval '1 minute'`,
    [account, OUTBOX_KINDS, now, OUTBOX_KINDS.map(pauseOf)],
  );
  return rows.map(({ kind, value }) => {
    const [until = '', failures, since = ''] = value.split(' ');
    return { kind, until: toInstant(until), failures: Number(failures), since: toInstant(since) };
  });
}

export async function setDeliveryPause(
  db: Queryable,
  account: string,
  pause: DeliveryPause,
  now: DateTime,
): Promise<void> {
  const value = `${pause.until.toISO()} ${pause.failures} ${pause.since.toISO()}`;
  await setCursor(db, { account, name: pauseOf(pause.kind), value }, now);
}

export async function clearDeliveryPauses(
  db: Queryable,
  account: string,
  kinds: readonly OutboxKind[] = OUTBOX_KINDS,
): Promise<void> {
  await db.query(`delete from payment_retry.cursors where account = $1 and name = any($2)`, [
    account,
    kinds.map(pauseOf),
  ]);
}

/** Starts recording events here. An existing cursor stays. */
export async function beginEvents(db: Queryable, account: string, now: DateTime): Promise<void> {
  await beginCursor(db, { account, name: EVENTS, value: now.toISO() }, now);
}

/** Time up to which all of Stripe's events are recorded. */
export async function findEventsCursor(db: Queryable, account: string): Promise<DateTime | undefined> {
  const value = await findCursor(db, account, EVENTS);
  return value === undefined ? undefined : toInstant(value);
}

export interface CursorPosition {
  account: string;
  name: string;
  /** Everything before it was processed. */
  at: DateTime;
}

/** Time up to which each account's events are recorded. */
export async function listEventsPositions(db: Queryable): Promise<CursorPosition[]> {
  const rows = await db.query<{ account: string; value: string }>(
    `select account, value from payment_retry.cursors where name = $1 order by account`,
    [EVENTS],
  );
  return rows.map(({ account, value }) => ({ account, name: EVENTS, at: toInstant(value) }));
}

function toInstant(iso: string): DateTime {
  return DateTime.fromISO(iso, { zone: 'utc' });
}

export async function setEventsCursor(
  db: Queryable,
  account: string,
  upTo: DateTime,
  now: DateTime,
): Promise<void> {
  await setCursor(db, { account, name: EVENTS, value: upTo.toISO() }, now);
}

export function findCursor(db: Queryable, account: string, name: string) {
  return db.findValue<string>(`select value from payment_retry.cursors where account = $1 and name = $2`, [
    account,
    name,
  ]);
}

/** Leaves an existing cursor unchanged. */
export async function beginCursor(
  db: Queryable,
  { account, name, value }: { account: string; name: string; value: string | null },
  now: DateTime,
): Promise<void> {
  await db.query(
    `insert into payment_retry.cursors (account, name, value, updated_at) values ($1, $2, $3, $4)
     on conflict (account, name) do nothing`,
    [account, name, value, now],
  );
}

export async function setCursor(
  db: Queryable,
  cursor: { account: string; name: string; value: string | null },
  now: DateTime,
): Promise<void> {
  await db.query(
    `insert into payment_retry.cursors (account, name, value, updated_at) values ($1, $2, $3, $4)
     on conflict (account, name) do update set value = excluded.value, updated_at = excluded.updated_at`,
    [cursor.account, cursor.name, cursor.value, now],
  );
}
