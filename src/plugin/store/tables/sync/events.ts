import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { EventResult } from '../../../reasons/event-result.ts';
import type { Reason } from '../../../reasons/reason.ts';

export interface EventKey {
  account: string;
  id: string;
}

export interface NewEvent extends EventKey {
  type: string;
  createdAt: DateTime;
  receivedAt: DateTime;
  /** Id of the customer or charge; empty without one. */
  person?: string;
  /** The body as received; without `data` for types that are not handled. */
  payload: string;
}

export interface InboxEntry {
  readonly id: string;
  readonly person: string;
}

export interface WaitingEvent extends InboxEntry {
  readonly payload: string;
}

/** A character that JSON text cannot contain (RFC 7464), so that bodies are joined without escaping, which is slow. */
const RECORD_SEPARATOR = '\u001e';

/** The first source of an event: Stripe's webhook or its event list. */
export type EventSource = 'webhook' | 'list';

/** Stores events in one statement and leaves known ones unchanged. Returns the new ones. */
export function recordEvents(db: Queryable, events: readonly NewEvent[], source: EventSource = 'webhook') {
  return db.query<EventKey>(
    `insert into payment_retry.events (account, id, type, created_at, received_at, payload, person, source)
     select *, $9 from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[],
       string_to_array($6, $8), $7::text[])
     on conflict do nothing
     returning account, id`,
    [
      events.map((event) => event.account),
      events.map((event) => event.id),
      events.map((event) => event.type),
      events.map((event) => event.createdAt),
      events.map((event) => event.receivedAt),
      events.map((event) => event.payload).join(RECORD_SEPARATOR),
      events.map((event) => event.person ?? ''),
      RECORD_SEPARATOR,
      source,
    ],
  );
}

/** When the latest of these came by webhook; undefined if none did. */
export async function findLastWebhookAt(db: Queryable, account: string, ids: readonly string[]) {
  return db.findValue<DateTime<true>>(
    `select max(received_at) as at from payment_retry.events
     where account = $1 and id = any($2::text[]) and source = 'webhook'`,
    [account, ids],
  );
}

const IS_WAITING = 'processed_at is null and payload is not null';
const IS_IN_INBOX = `${IS_WAITING} and not is_apart`;

/** Events in the account's inbox, oldest first. */
export function listInbox(db: Queryable, account: string, limit: number) {
  return db.query<InboxEntry>(
    `select id, person from payment_retry.events
     where account = $1 and ${IS_IN_INBOX} order by received_at, id limit $2`,
    [account, limit],
  );
}

/** Bodies by id; a finished event may have lost its own. */
export async function listPayloads(db: Queryable, account: string, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>();
  const rows = await db.query<Omit<WaitingEvent, 'person'>>(
    `select id, payload from payment_retry.events where account = $1 and id = any($2::text[]) and ${IS_IN_INBOX}`,
    [account, ids],
  );
  return new Map(rows.map(({ id, payload }) => [id, payload]));
}

/** Locks events in the inbox for this transaction. Returns those that are waiting and not locked by another worker. */
export async function lockInbox(tx: Queryable, account: string, ids: readonly string[]) {
  const found = await tx.listValues<string>(
    `select id from payment_retry.events
     where account = $1 and id = any($2::text[]) and ${IS_IN_INBOX} for update skip locked`,
    [account, ids],
  );
  return new Set(found);
}

/** Moves events from the inbox to jobs of their own. */
export async function setApart(tx: Queryable, account: string, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return tx.query<EventKey & { replays: number }>(
    `update payment_retry.events set is_apart = true where account = $1 and id = any($2::text[])
     returning account, id, replays`,
    [account, ids],
  );
}

export function findWaitingEvent(db: Queryable, key: EventKey) {
  return db.find<WaitingEvent>(
    `select id, payload, person from payment_retry.events where account = $1 and id = $2 and ${IS_WAITING}`,
    [key.account, key.id],
  );
}

/** Waits for the lock. False if the event was processed meanwhile. */
export function lockWaitingEvent(tx: Queryable, key: EventKey) {
  return tx.has(
    `select 1 as one from payment_retry.events where account = $1 and id = $2 and ${IS_WAITING} for update`,
    [key.account, key.id],
  );
}

const IS_DEAD = `results->0->>'code' = 'dead'`;

const isIgnored = ({ code }: EventResult) => code.startsWith('ignored_') || code === 'own_account';
const isForgotten = ({ code }: EventResult) => code === 'customer_forgotten';

export interface FinishedEvent {
  readonly id: string;
  /** One result a step. */
  readonly results: readonly EventResult[];
}

/** Drops the body of events without effect. */
export async function finishEvents(
  db: Queryable,
  account: string,
  events: readonly FinishedEvent[],
  now: DateTime,
) {
  if (events.length === 0) return;
  await db.query(
    `update payment_retry.events as event set processed_at = $2, results = done.results::jsonb, error = null,
       -- A call of is_forgotten would be planned anew for each row.
       payload = case when done.is_of_no_use or exists (select from payment_retry.forgotten f
         where f.account = event.account and f.customer_id = event.person) then null else event.payload end
     from unnest($3::text[], $4::text[], $5::boolean[]) as done (id, results, is_of_no_use)
     where event.account = $1 and event.id = any($3::text[]) and event.id = done.id`,
    [
      account,
      now,
      events.map(({ id }) => id),
      events.map(({ results }) => JSON.stringify(results)),
      events.map(({ results }) => results.every(isIgnored) || results.some(isForgotten)),
    ],
  );
}

/** Keeps an event whose object Stripe refuses to show; it gets a job of its own. Returns the replay number that names the job. */
export async function keepWaiting(db: Queryable, key: EventKey, why: EventResult) {
  const [row] = await db.query<{ replays: number }>(
    `update payment_retry.events set results = $3::jsonb, replays = replays + 1
     where account = $1 and id = $2 and processed_at is null returning replays`,
    [key.account, key.id, JSON.stringify([why])],
  );
  return row?.replays ?? 0;
}

/** Processing failed for good: the row keeps the error and can be replayed, unless its customer is forgotten. */
export async function buryEvent(db: Queryable, key: EventKey, error: string, now: DateTime) {
  await db.query(
    `update payment_retry.events set processed_at = $3, payload = case when not of.is_forgotten then payload end,
       error = case when not of.is_forgotten then $4 end,
       results = jsonb_build_array(jsonb_build_object('code', case when of.is_forgotten then 'customer_forgotten' else 'dead' end))
     from (select exists (
       select 1 from payment_retry.events e where e.account = $1 and e.id = $2 and (payment_retry.is_forgotten($1, e.person) or exists (
         select 1 from payment_retry.attempts a where a.account = $1 and a.charge_id = e.person
           and payment_retry.is_forgotten($1, a.customer_id)))) as is_forgotten) of
     where account = $1 and id = $2`,
    [key.account, key.id, now, error],
  );
}

/** An event with a job of its own; each replay needs another job. */
export interface EventApart extends EventKey {
  replays: number;
  /** Whole days since receipt. */
  daysWaiting: number;
}

/**
 * Events apart, recorded before `before` and not processed: their jobs may have been lost. Accounts take turns, oldest first,
 * so that no backlog hides another.
 */
export function listEventsApart(db: Queryable, before: DateTime, limit: number) {
  return db.query<EventApart>(
    `select account, id, replays, extract(day from $1::timestamptz - received_at)::int as days_waiting
     from payment_retry.events
     where processed_at is null and is_apart and received_at <= $1
     order by row_number() over (partition by account order by received_at), received_at limit $2`,
    [before, limit],
  );
}

/** Accounts with an event in the inbox since `before`. */
export function listFullInboxes(db: Queryable, before: DateTime) {
  return db.listValues<string>(
    `select distinct account from payment_retry.events where ${IS_IN_INBOX} and received_at <= $1`,
    [before],
  );
}

/** Stripe's creation time of our first event. */
export function findFirstEventAt(db: Queryable, account: string) {
  return db.findValue<DateTime<true>>(
    `select min(created_at) as at from payment_retry.events where account = $1`,
    [account],
  );
}

export interface DeadEvent extends EventKey {
  type: string;
  diedAt: DateTime<true>;
  /** First line of the error. */
  error: string | null;
  /** Why it cannot be processed, if known. */
  reason: Reason | null;
}

/** Dead events, oldest first. */
export function listDeadEvents(db: Queryable) {
  return db.query<DeadEvent>(
    `select account, id, type, processed_at as died_at, split_part(error, chr(10), 1) as error, results->0->'reason' as reason
     from payment_retry.events where ${IS_DEAD} order by processed_at, id`,
  );
}

/** Returns dead events to the inbox, where the next sweep finds them; all without a filter. */
export function replayDeadEvents(
  db: Queryable,
  filter: { ids?: readonly string[] | undefined; type?: string | undefined },
) {
  return db.query<EventKey>(
    `update payment_retry.events set processed_at = null, results = null, error = null, replays = replays + 1, is_apart = false
     where ${IS_DEAD} and ($1::text[] is null or id = any($1::text[])) and ($2::text is null or type = $2)
     returning account, id`,
    [filter.ids, filter.type],
  );
}

/** Returns events to the inbox that were created since then and skipped while access was revoked. */
export async function reopenRevoked(db: Queryable, account: string, since: DateTime) {
  await db.query(
    `update payment_retry.events
     set processed_at = null, results = null, replays = replays + 1, is_apart = false
     where account = $1 and results->0->>'code' = 'access_revoked' and created_at >= $2 and payload is not null`,
    [account, since],
  );
}
