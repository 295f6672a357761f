/** Refused webhooks by cause and day. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';

/** No signature; none by our secrets; signed by another clock; not an event. */
export type RefusalCause = 'unsigned' | 'secret' | 'time' | 'body';

export interface RefusedWebhooks {
  readonly cause: RefusalCause;
  readonly count: number;
  readonly lastAt: DateTime<true>;
}

export async function noteRefused(db: Queryable, counts: ReadonlyMap<RefusalCause, number>, at: DateTime) {
  await db.query(
    `insert into payment_retry.refused_webhooks (day, cause, count, last_at)
     select ($1::timestamptz at time zone 'UTC')::date, cause, count, $1
     from unnest($2::text[], $3::integer[]) as refused (cause, count)
     on conflict (day, cause) do update
     set count = refused_webhooks.count + excluded.count, last_at = greatest(refused_webhooks.last_at, excluded.last_at)`,
    [at, [...counts.keys()], [...counts.values()]],
  );
}

export function listRefused(db: Queryable, since: DateTime) {
  return db.query<RefusedWebhooks>(
    `select cause, sum(count)::integer as count, max(last_at) as last_at from payment_retry.refused_webhooks
     where last_at > $1 group by cause order by cause`,
    [since],
  );
}
