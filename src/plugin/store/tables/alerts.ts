/** Current alerts, so that each one and its end are sent once. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { Channel } from './host-events.ts';

export interface AlertCheck {
  readonly concerns: readonly string[];
  readonly channels: readonly Channel[];
  readonly now: DateTime;
  /** Alerts last seen before this time are over; a short gap between two checks ends none. */
  readonly overBefore: DateTime;
}

/** One statement, so that a single process sends when several check together. */
export async function keepAlerts(db: Queryable, { concerns, channels, now, overBefore }: AlertCheck) {
  await db.query(
    `with seen as (
       update payment_retry.alerts set last_seen_at = $2 where concern = any($1::text[]) returning concern
     ), raised as (
       insert into payment_retry.alerts (concern, since, last_seen_at)
       select concern, $2::timestamptz, $2::timestamptz from unnest($1::text[]) as held (concern)
       where concern not in (select concern from seen)
       on conflict do nothing returning concern, since
     ), ended as (
       delete from payment_retry.alerts where last_seen_at < $3 and concern <> all($1::text[]) returning concern, since
     )
     insert into payment_retry.host_events (channel, event_id, type, account, at, detail, next_at)
     select channel, md5(concat_ws(' ', 'alert', concern, extract(epoch from since), type))::uuid, type, '*', $2,
       jsonb_build_object('concern', concern, 'since', since), $2
     from (select *, 'alertRaised' as type from raised union all select *, 'alertResolved' as type from ended) as news
     cross join unnest($4::text[]) as receivers (channel)
     order by concern`,
    [concerns, now, overBefore, channels],
  );
}

/** Name in `cursors`: the last day, in the merchant's zone, whose morning was checked. */
export const NEEDS_DAY = 'needs_email';

/** True for one process a day. */
export function beginNeedsDay(tx: Queryable, day: string, now: DateTime) {
  return tx.has(
    `insert into payment_retry.cursors as known (account, name, value, updated_at) values ('*', '${NEEDS_DAY}', $1, $2)
     on conflict (account, name) do update set value = excluded.value, updated_at = excluded.updated_at
     where known.value < excluded.value returning account`,
    [day, now],
  );
}

/** Queues the daily email about invoices that need attention. */
export async function keepNeedsEmail(
  tx: Queryable,
  { day, now, causes }: { day: string; now: DateTime; causes: readonly object[] },
) {
  await tx.query(
    `insert into payment_retry.host_events (channel, event_id, type, account, at, detail, next_at)
     values ('needs_email', md5($1)::uuid, 'needsAttention', '*', $2, $3::jsonb, $2)`,
    [`${NEEDS_DAY} ${day}`, now, JSON.stringify({ causes })],
  );
}

export interface Alert {
  concern: string;
  since: DateTime<true>;
}

export function listAlerts(db: Queryable) {
  return db.query<Alert>(`select concern, since from payment_retry.alerts order by concern`);
}
