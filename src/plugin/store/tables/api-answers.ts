/**
 * The API's answers under an idempotency key, and those of console forms until their page shows them; both for a day. `key` is
 * a digest, because callers choose theirs freely.
 */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';

const DAYS_KEPT = 1;
/** Minutes until an interrupted request without an answer may be repeated. */
const UNFINISHED_MINUTES = 5;

/** False if the key is in use or has its answer. */
export async function reserveAnswer(
  db: Queryable,
  { key, request }: { key: string; request: string },
  now: DateTime,
) {
  await db.query('delete from payment_retry.api_answers where created_at < $1', [
    now.minus({ days: DAYS_KEPT }),
  ]);
  return db.has(
    `insert into payment_retry.api_answers (key, request, created_at) values ($1, $2, $3)
     on conflict (key) do update set created_at = excluded.created_at
       where api_answers.status is null and api_answers.request = excluded.request and api_answers.created_at < $4
     returning key`,
    [key, request, now, now.minus({ minutes: UNFINISHED_MINUTES })],
  );
}

export async function keepAnswer(
  db: Queryable,
  key: string,
  { status, body }: { status: number; body: object },
  now: DateTime,
) {
  await db.query(
    // The answer may name a customer erased since the request.
    `update payment_retry.api_answers set status = $2, created_at = $4, body = case
       when exists (select 1 from payment_retry.forgotten where asked_at >= api_answers.created_at)
       then payment_retry.without_words($3::jsonb) else $3::jsonb end
     where key = $1`,
    [key, status, JSON.stringify(body), now],
  );
}

/** Allows an immediate retry of a request that failed without an answer. */
export async function forgetAnswer(db: Queryable, key: string) {
  await db.query('delete from payment_retry.api_answers where key = $1 and status is null', [key]);
}

export interface KeptAnswer {
  /** Digest of the request. */
  request: string;
  /** Null while the request is running. */
  status: number | null;
  body: object | null;
}

export function findAnswer(db: Queryable, key: string) {
  return db.find<KeptAnswer>('select request, status, body from payment_retry.api_answers where key = $1', [
    key,
  ]);
}

/** Returns the answer to a form and deletes it. */
export function takeAnswer(db: Queryable, key: string) {
  return db.findValue<{ sealed: string }>(
    `delete from payment_retry.api_answers where key = $1 and request = 'console' returning body`,
    [key],
  );
}
