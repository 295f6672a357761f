import type { Queryable } from '../../../../core/database/database.ts';
import type { CursorPosition } from './cursors.ts';
import { listEventsPositions } from './cursors.ts';
import { listListingPositions } from './listing-state.ts';

/** Progress of each account's reads: Stripe's events and the service's listing. */
export async function listCursorPositions(db: Queryable): Promise<CursorPosition[]> {
  return [...(await listEventsPositions(db)), ...(await listListingPositions(db))];
}
