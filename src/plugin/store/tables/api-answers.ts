/**
 * Answers of the API under an idempotency key, and of the console's forms until their page shows them; both for a day. `key` is
 * a digest: a caller may write anything into theirs.
 */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';

const DAYS_KEPT = 1;
/** A process that was cut off in the middle left no answer; what it did may be asked for again. */
const UNFINISHED_MINUTES = 5;

/** False if the key is in use or has its answer. */
export async function reserveAnswer(
  db: Queryable,
  { key, request }: { key: string; request: string },
  now: DateTime,
): Promise<boolean> {
  await db.query('delete from payment_retry.api_answers where created_at < $1', [
    now.minus({ days: DAYS_KEPT }),
  ]);
  const rows = await db.query(
    `insert into payment_retry.api_answers (key, request, created_at) values ($1, $2, $3)
     on conflict (key) do update set created_at = excluded.created_at
       where api_answers.status is null and api_answers.request = excluded.request and api_answers.created_at < $4
     returning key`,
    [key, request, now, now.minus({ minutes: UNFINISHED_MINUTES })],
  );
  return rows.length > 0;
}

export async function keepAnswer(
  db: Queryable,
  key: string,
  { status, body }: { status: number; body: object },
  now: DateTime,
): Promise<void> {
  await db.query(
    // It may tell what was erased since it was asked for.
    `update payment_retry.api_answers set status = $2, created_at = $4, body = case
       when exists (select 1 from payment_retry.forgotten where asked_at >= api_answers.created_at)
       then payment_retry.without_words($3::jsonb) else $3::jsonb end
     where key = $1`,
    [key, status, JSON.stringify(body), now],
  );
}

/** So that what failed without an answer may be asked for again at once. */
export async function forgetAnswer(db: Queryable, key: string): Promise<void> {
  await db.query('delete from payment_retry.api_answers where key = $1 and status is null', [key]);
}

export interface KeptAnswer {
  /** A digest of what was asked. */
  request: string;
  /** Null while it is being answered. */
  status: number | null;
  body: object | null;
}

export async function findAnswer(db: Queryable, key: string): Promise<KeptAnswer | undefined> {
  const [row] = await db.query<KeptAnswer>(
    'select request, status, body from payment_retry.api_answers where key = $1',
    [key],
  );
  return row;
}

/** Returns the answer to a form, and forgets it. */
export async function takeAnswer(db: Queryable, key: string): Promise<{ sealed: string } | undefined> {
  const [row] = await db.query<{ body: { sealed: string } | null }>(
    `delete from payment_retry.api_answers where key = $1 and request = 'console' returning body`,
    [key],
  );
  return row?.body ?? undefined;
}
