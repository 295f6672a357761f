import { DateTime, Duration } from 'luxon';
import type { Queryable } from '../engine/database.ts';

/** Stripe may be quiet for so long. */
const SILENCE = Duration.fromObject({ days: 1 });

/**
 * The time that ages are counted to: ours, but never much later than the latest that Stripe has sent. A clock that is set years
 * ahead makes nothing old, and one that is set back deletes less. Undefined while Stripe has sent nothing.
 */
export async function readKnownTime(db: Queryable, now: DateTime): Promise<DateTime | undefined> {
  const [row] = await db.query<{ latest: Date | null }>(
    `select greatest(
       (select max(created_at) from payment_retry.events
        where payload is not null and processed_at is not null and results->0->>'code' <> 'dead'),
       (select max(created_at) from payment_retry.events where payload is null)) as latest`,
  );
  if (!row?.latest) return undefined;
  return DateTime.min(now, DateTime.fromJSDate(row.latest, { zone: 'utc' }).plus(SILENCE));
}
