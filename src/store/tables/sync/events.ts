import type { DateTime } from 'luxon';
import type { Queryable } from '../../engine/database.ts';
import type { EventResult } from '../../reasons/event-result.ts';
import { type Reason, withReason } from '../../reasons/reason.ts';

export interface EventKey {
  account: string;
  id: string;
}

export interface NewEvent extends EventKey {
  type: string;
  createdAt: DateTime;
  receivedAt: DateTime;
  /** Whom it is about: a customer's id, or a charge's; empty for nobody. */
  person?: string;
  /** The body as Stripe sent it; without `data` where nothing is done about its type. */
  payload: string;
}

export interface StoredEvent extends EventKey {
  type: string;
  /** Null once it is processed and old, or nothing was done about it. */
  payload: string | null;
  processedAt: Date | null;
}

/** Stores events in one statement; one that is there already is left alone. Returns the new ones. */
export async function recordEvents(db: Queryable, events: readonly NewEvent[]): Promise<EventKey[]> {
  return db.query<EventKey>(
    `insert into payment_retry.events (account, id, type, created_at, received_at, payload, person)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::text[], $7::text[])
     on conflict do nothing
     returning account, id`,
    [
      events.map((event) => event.account),
      events.map((event) => event.id),
      events.map((event) => event.type),
      events.map((event) => event.createdAt.toISO()),
      events.map((event) => event.receivedAt.toISO()),
      events.map((event) => event.payload),
      events.map((event) => event.person ?? ''),
    ],
  );
}

export async function findEvent(db: Queryable, key: EventKey): Promise<StoredEvent | undefined> {
  const [row] = await db.query<StoredEvent>(
    `select account, id, type, payload, processed_at
     from payment_retry.events where account = $1 and id = $2`,
    [key.account, key.id],
  );
  return row;
}

const IS_DEAD = `results->0->>'code' = 'dead'`;

const isIgnored = ({ code }: EventResult) => code.startsWith('ignored_') || code === 'own_account';
const isForgotten = ({ code }: EventResult) => code === 'customer_forgotten';

/** One result for each step that looked at it. A body that nothing was done about is of no use. */
export async function finishEvent(
  db: Queryable,
  key: EventKey,
  results: readonly EventResult[],
  now: DateTime,
): Promise<void> {
  await db.query(
    `update payment_retry.events set processed_at = $3, results = $4::jsonb, error = null,
       payload = case when $5 or payment_retry.is_forgotten(account, person) then null else payload end
     where account = $1 and id = $2`,
    [
      key.account,
      key.id,
      now.toISO(),
      JSON.stringify(results),
      results.every(isIgnored) || results.some(isForgotten),
    ],
  );
}

/** Stripe does not let us read what it is about: it waits, and gets a job of its own. Returns what that is named by. */
export async function keepWaiting(db: Queryable, key: EventKey, why: EventResult): Promise<number> {
  const [row] = await db.query<{ replays: number }>(
    `update payment_retry.events set results = $3::jsonb, replays = replays + 1
     where account = $1 and id = $2 and processed_at is null returning replays`,
    [key.account, key.id, JSON.stringify([why])],
  );
  return row?.replays ?? 0;
}

/** Processing failed for good: the row keeps the whole error and can be replayed. */
export async function buryEvent(db: Queryable, key: EventKey, error: string, now: DateTime): Promise<void> {
  await db.query(
    `update payment_retry.events set processed_at = $3, results = '[{"code": "dead"}]', error = $4 where account = $1 and id = $2`,
    [key.account, key.id, now.toISO(), error],
  );
}

/** An event that waits for its job; each replay needs a job of its own. */
export interface WaitingEvent extends EventKey {
  replays: number;
  /** Whole days since it was recorded. */
  daysWaiting: number;
}

/**
 * Recorded before `before` and still not processed: their jobs may have been lost with a process. Of every account the
 * oldest first, so that one whose events pile up does not hide another's.
 */
export async function listUnprocessedEvents(
  db: Queryable,
  before: DateTime,
  limit: number,
): Promise<WaitingEvent[]> {
  return db.query<WaitingEvent>(
    `select account, id, replays, extract(day from $1::timestamptz - received_at)::int as days_waiting
     from payment_retry.events
     where processed_at is null and received_at <= $1
     order by row_number() over (partition by account order by received_at), received_at limit $2`,
    [before.toISO(), limit],
  );
}

/** When Stripe created the first event that we know of, by Stripe's clock. */
export async function findFirstEventAt(db: Queryable, account: string): Promise<Date | undefined> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(created_at) as at from payment_retry.events where account = $1`,
    [account],
  );
  return row?.at ?? undefined;
}

export interface DeadEvent extends EventKey {
  type: string;
  diedAt: Date;
  /** The first line of the error. */
  error: string | null;
  /** Why it cannot be processed, where that is known. */
  reason: Reason | null;
}

/** Events whose processing failed for good, oldest first. */
export async function listDeadEvents(db: Queryable): Promise<DeadEvent[]> {
  const rows = await db.query<DeadEvent>(
    `select account, id, type, processed_at as died_at, split_part(error, chr(10), 1) as error, results->0->'reason' as reason
     from payment_retry.events where ${IS_DEAD} order by processed_at, id`,
  );
  return rows.map(withReason);
}

/** Puts dead events back, so that the next sweep gives each a new job; all of them if the filter is empty. */
export async function replayDeadEvents(
  db: Queryable,
  filter: { ids?: readonly string[] | undefined; type?: string | undefined },
): Promise<EventKey[]> {
  return db.query<EventKey>(
    `update payment_retry.events set processed_at = null, results = null, error = null, replays = replays + 1
     where ${IS_DEAD} and ($1::text[] is null or id = any($1::text[])) and ($2::text is null or type = $2)
     returning account, id`,
    [filter.ids ?? null, filter.type ?? null],
  );
}

/** Puts back events created since then that were left alone while access was revoked, so that each gets a new job. */
export async function reopenRevoked(
  db: Queryable,
  account: string,
  since: DateTime,
): Promise<(EventKey & { replays: number })[]> {
  return db.query(
    `update payment_retry.events set processed_at = null, results = null, replays = replays + 1
     where account = $1 and results->0->>'code' = 'access_revoked' and created_at >= $2 and payload is not null
     returning account, id, replays`,
    [account, since.toISO()],
  );
}
