import type { DateTime } from 'luxon';
import type { Queryable } from '../store/engine/database.ts';
import { beginEvents } from '../store/tables/sync/cursors.ts';
import { beginListing } from '../store/tables/sync/listing-state.ts';

/**
 * What Stripe and the service send from now on is ours. Not left to the first reading of either: if the process dies
 * before that, what they brought until the next one came would be taken for history.
 */
export async function beginAccount(db: Queryable, account: string, now: DateTime): Promise<void> {
  await beginEvents(db, account, now);
  await beginListing(db, account, now);
}
