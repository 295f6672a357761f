/** Named values of each account, one row of `cursors` each. */
import { DateTime } from 'luxon';
import type { z } from 'zod';
import type { Queryable } from '../../../../core/database/database.ts';
import { OUTBOX_KINDS, type OutboxKind } from './outbox.ts';

interface Kept<Value> {
  readonly account: string;
  readonly value: Value;
  readonly updatedAt: DateTime<true>;
}

/** `read` returns undefined for a value in an older format, which counts as none. */
export function keptValue<Value>(
  name: string,
  write: (value: Value) => string | null,
  read: (text: string) => Value | undefined,
) {
  return {
    find: async (db: Queryable, account: string): Promise<Value | undefined> => {
      const text = await findCursor(db, account, name);
      return text === undefined ? undefined : read(text);
    },
    /** Lists the values of all accounts. */
    list: async (db: Queryable): Promise<Kept<Value>[]> => {
      const rows = await db.query<Kept<string>>(
        `select account, value, updated_at from payment_retry.cursors where name = $1 order by account`,
        [name],
      );
      return rows.flatMap((row) => {
        const value = read(row.value);
        return value === undefined ? [] : [{ ...row, value }];
      });
    },
    set: (db: Queryable, account: string, value: Value, now: DateTime): Promise<void> =>
      setCursor(db, { account, name, value: write(value) }, now),
    /** Leaves an existing value unchanged. */
    begin: async (db: Queryable, account: string, value: Value, now: DateTime): Promise<void> => {
      await db.query(
        `insert into payment_retry.cursors (account, name, value, updated_at) values ($1, $2, $3, $4)
         on conflict (account, name) do nothing`,
        [account, name, write(value), now],
      );
    },
    forget: async (db: Queryable, account: string): Promise<void> => {
      await db.query(`delete from payment_retry.cursors where account = $1 and name = $2`, [account, name]);
    },
  };
}

export const keptInstant = (name: string) => keptValue<DateTime>(name, (at) => at.toISO(), toInstant);

export const keptJson = <Value>(name: string, schema: z.ZodType<Value>) =>
  keptValue<Value>(name, JSON.stringify, (text) => schema.safeParse(JSON.parse(text)).data);

export function toInstant(iso: string): DateTime {
  return DateTime.fromISO(iso, { zone: 'utc' });
}

/** Time up to which all of Stripe's events are recorded. */
export const eventsCursor = keptInstant('events');

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
export async function listDeliveryPauses(db: Queryable, account: string, now: DateTime) {
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

export async function setDeliveryPause(db: Queryable, account: string, pause: DeliveryPause, now: DateTime) {
  const value = `${pause.until.toISO()} ${pause.failures} ${pause.since.toISO()}`;
  await setCursor(db, { account, name: pauseOf(pause.kind), value }, now);
}

export async function clearDeliveryPauses(
  db: Queryable,
  account: string,
  kinds: readonly OutboxKind[] = OUTBOX_KINDS,
) {
  await db.query(`delete from payment_retry.cursors where account = $1 and name = any($2)`, [
    account,
    kinds.map(pauseOf),
  ]);
}

export function findCursor(db: Queryable, account: string, name: string) {
  return db.findValue<string>(`select value from payment_retry.cursors where account = $1 and name = $2`, [
    account,
    name,
  ]);
}

export async function setCursor(
  db: Queryable,
  cursor: { account: string; name: string; value: string | null },
  now: DateTime,
) {
  await db.query(
    `insert into payment_retry.cursors (account, name, value, updated_at) values ($1, $2, $3, $4)
     on conflict (account, name) do update set value = excluded.value, updated_at = excluded.updated_at`,
    [cursor.account, cursor.name, cursor.value, now],
  );
}
