/** `queue sync`: reads the service's listing and applies instructions without a callback. */

import { toIso } from '../../../core/base/clock.ts';
import { UpstreamError } from '../../../core/base/errors.ts';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { AccessOf } from '../../settings/accounts.ts';
import { isWithoutCallback } from '../../settings/service-settings.ts';
import { listingPause, listingStart } from '../../store/tables/sync/listing-state.ts';
import { applyListed } from './apply-listed.ts';
import { LISTING_PASSES, POLLED_PASSES } from './listing-pass.ts';
import { type ListingDeps, type PassEnd, readListing } from './read-listing.ts';

export interface SyncActionsReport {
  /** Records in all pages; repeats count. */
  listed: number;
  /** New records. */
  fresh: number;
  /** Instructions without a callback. */
  applied: number;
  /** New records with a callback. */
  known: number;
  /** New records that are not understood. */
  unreadable: number;
  /** Why the listing was not read completely; the next run continues. */
  incomplete: Reason | undefined;
}

/** Throws UpstreamError for an interrupted run, so that it is retried; records read are kept. */
export function createActionsSync(
  deps: Omit<ListingDeps, 'service' | 'isPolled'> & {
    readonly serviceOf: (account: string) => ListingDeps['service'];
    readonly accessOf: AccessOf;
  },
): JobHandler<PluginQueues['sync-actions']> {
  return {
    handle: async ({ account }) => {
      const service = deps.serviceOf(account);
      const isPolled = isWithoutCallback((await deps.accessOf(account))?.callback);
      const { incomplete, ...found } = await syncActions({ ...deps, service, isPolled }, account);
      if (found.applied > 0)
        deps.logger.info({ account, ...found }, 'applied instructions that no callback had brought');
      if (incomplete === undefined) return;
      const { code, ...details } = incomplete;
      const why = [code, ...Object.values(details)].join(': ');
      throw new UpstreamError(
        `The listing of recovery actions of account ${account} was not read to its end (${why}).`,
        {
          retryable: true,
          help: 'The next run goes on there. Check RETRY_SERVICE_URL, RETRY_SERVICE_LISTING_URL and RETRY_SERVICE_API_KEY if this repeats.',
        },
      );
    },
  };
}

/** Runs both passes, then applies waiting instructions once all possible ones were seen. */
export async function syncActions(deps: ListingDeps, account: string): Promise<SyncActionsReport> {
  const { database, clock } = deps;
  const now = clock.now();
  const found = { listed: 0, fresh: 0, unreadable: 0 };
  const pause = await listingPause.find(database, account, now);
  if (pause) {
    const incomplete = { code: 'listing_waits', until: toIso(pause) } as const;
    return { ...found, applied: 0, known: 0, incomplete };
  }
  await listingStart.begin(database, account, now, now);
  const context = { account, found, startedAt: (await listingStart.find(database, account)) ?? now };
  const ends: PassEnd[] = [];
  for (const pass of deps.isPolled ? POLLED_PASSES : LISTING_PASSES) {
    const end = await readListing(deps, context, pass);
    ends.push(end);
    if (end.kind === 'setback' && end.retryAfterMs !== undefined) {
      await listingPause.begin(database, account, clock.now(), end.retryAfterMs);
      break;
    }
  }
  const isSeen = ends.length === LISTING_PASSES.length && isEnough(ends);
  const applied = isSeen ? await applyListed(deps, account) : { applied: 0, known: 0 };
  const setback = ends.find((end) => end.kind === 'setback');
  return { ...found, ...applied, incomplete: setback?.kind === 'setback' ? setback.reason : undefined };
}

/**
 * Whether all waiting instructions were seen: by the created pass, or without it by the complete executed pass. Otherwise an older instruction
 * could be applied before its replacement is read.
 */
function isEnough([executed, created]: readonly PassEnd[]): boolean {
  return created?.kind === 'whole' || (created?.kind === 'refused' && executed?.kind === 'whole');
}
