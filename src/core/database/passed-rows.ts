/** Takes away rows that are over by themselves: of sessions, guesses, requests under a key, and events that nobody receives. */
import type { DateTime } from 'luxon';
import type { Queryable } from './database.ts';

const GUESSES = { table: 'guesses', column: 'until', days: 0 };

/** Rows older than `days` after the time in `column`. */
const PASSING = {
  payment_retry: [
    GUESSES,
    { table: 'sessions', column: 'created_at', days: 7 },
    { table: 'api_answers', column: 'created_at', days: 1 },
    { table: 'app_nonces', column: 'used_at', days: 1 },
    { table: 'host_events', column: 'at', days: 30 },
    { table: 'refused_webhooks', column: 'last_at', days: 7 },
  ],
  retry_service: [GUESSES],
};

/**
 * Deletes at most `limit` rows of each table. Writers of these tables remove expired rows themselves; this catches tables
 * without writers.
 */
export async function deletePassed(
  db: Queryable,
  schema: keyof typeof PASSING,
  { now, limit }: { now: DateTime; limit: number },
): Promise<number> {
  let count = 0;
  for (const { table, column, days } of PASSING[schema]) {
    count += await db.count(
      `delete from ${schema}.${table} where ctid in (
         select ctid from ${schema}.${table} where ${column} < $1 limit $2 for update skip locked) returning 1 as one`,
      [now.minus({ days }), limit],
    );
  }
  return count;
}
