/** Events waiting for delivery to the host application or to EVENTS_URL. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';

/** Alerts have channels of their own. */
export const CHANNELS = ['host', 'webhook', 'team', 'alert_webhook', 'alert_email', 'needs_email'] as const;
export type Channel = (typeof CHANNELS)[number];

export interface StoredHostEvent {
  id: number;
  channel: Channel;
  eventId: string;
  type: string;
  account: string;
  invoiceId: string | null;
  at: DateTime<true>;
  detail: Record<string, unknown>;
  tries: number;
}

const COLUMNS = 'id, channel, event_id, type, account, invoice_id, at, detail, tries';

/** Events from now on are kept for these channels. A channel is never closed: other processes may serve it. */
export async function openChannels(db: Queryable, channels: readonly Channel[], now: DateTime) {
  await db.query(
    `insert into payment_retry.event_channels (channel, opened_at) select unnest($1::text[]), $2 on conflict do nothing`,
    [channels, now],
  );
}

/** Keeps an event about no invoice for every open channel. One from before a channel opened is not reported there. */
export async function recordHostEvent(
  db: Queryable,
  { type, account, at, data }: { type: string; account: string; at: DateTime; data: object },
) {
  await db.query(
    `insert into payment_retry.host_events (channel, event_id, type, account, at, detail, next_at)
     select channel, id, $1, $2, $3, $4::jsonb, $3 from payment_retry.event_channels, gen_random_uuid() id where opened_at <= $3`,
    [type, account, at, JSON.stringify(data)],
  );
}

export function hasDueEvents(db: Queryable, channels: readonly Channel[], now: DateTime) {
  return db.has(
    `select 1 as one from payment_retry.host_events where channel = any($1::text[]) and dead_at is null and next_at <= $2 limit 1`,
    [channels, now],
  );
}

/** Due events in order of occurrence. */
export function listDueEvents(db: Queryable, channels: readonly Channel[], now: DateTime, limit: number) {
  return db.query<StoredHostEvent>(
    `select ${COLUMNS} from payment_retry.host_events
     where channel = any($1::text[]) and dead_at is null and next_at <= $2 order by id limit $3`,
    [channels, now, limit],
  );
}

/** The current row: another process may have delivered it, or its customer may have been forgotten. */
export function findEvent(db: Queryable, id: number) {
  return db.find<StoredHostEvent>(
    `select ${COLUMNS} from payment_retry.host_events where id = $1 and dead_at is null`,
    [id],
  );
}

export async function forgetEvent(db: Queryable, id: number) {
  await db.query('delete from payment_retry.host_events where id = $1', [id]);
}

/** Postpones an event; without `nextAt` it is given up. */
export async function putOffEvent(
  db: Queryable,
  id: number,
  { problem, nextAt, now }: { problem: string; nextAt: DateTime | undefined; now: DateTime },
) {
  await db.query(
    `update payment_retry.host_events set tries = tries + 1, problem = $2, next_at = coalesce($3, next_at),
       dead_at = case when $3::timestamptz is null then $4::timestamptz end where id = $1`,
    [id, problem, nextAt, now],
  );
}

export interface UndeliveredEvents {
  channel: Channel;
  dead: number;
  /** Problem of the latest one. */
  problem: string | null;
}

export function listUndeliveredEvents(db: Queryable) {
  return db.query<UndeliveredEvents>(
    `select channel, count(*) as dead, (array_agg(problem order by dead_at desc))[1] as problem
     from payment_retry.host_events where dead_at is not null group by channel order by channel`,
  );
}
