import type { DateTime } from 'luxon';
import type { BackfillRequest } from '../jobs/queues.ts';

/** How far back invoices and charges are read unless something else is asked for. */
export const BACKFILL_MONTHS = 12;

/** Below Stripe's 25 for one endpoint, with room for the reads that webhooks lead to (facts 3.10). */
const FULL_SHARE = 20;

/** Asks for a run, or for what is left of the one that is open. */
export function toBackfillJob(
  request: Pick<BackfillRequest, 'account' | 'kind' | 'months'>,
  askedAt: DateTime<true>,
) {
  return {
    data: { ...request, perSecond: FULL_SHARE, askedAt: askedAt.toISO() },
    key: request.account,
  };
}
