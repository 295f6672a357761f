import type { DateTime } from 'luxon';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import type { MirrorVersion } from '../../store/tables/sync/mirror-version.ts';

/** Older than all that Stripe may have. */
export const BEFORE_ALL = fromUnixSeconds(0);

/** How far our clock and Stripe's may differ: by more, and no signature of Stripe's would be taken (stripe-facts 1.1). */
const SKEW_MS = 300_000;
/** Stripe dates an event by the second in which it fell, so it may be this much younger than it says. */
const TRUNCATED_MS = 1_000;

/**
 * What an event's snapshot is worth against what is stored: `apply` it, `read` the object again because their order
 * cannot be determined (the same second, or within the clocks' difference of a read of ours), or drop it as `stale`.
 */
export function judgeFreshness(
  stored: MirrorVersion | undefined,
  createdAt: DateTime,
  now: DateTime,
): 'apply' | 'read' | 'stale' {
  if (stored === undefined) return 'apply';
  const lead = createdAt.toMillis() - stored.version.toMillis();
  if (stored.source === 'event') return lead > 0 ? 'apply' : lead === 0 ? 'read' : 'stale';
  if (lead > SKEW_MS) return 'apply';
  const isByClockAhead = stored.version.toMillis() > now.toMillis() + SKEW_MS;
  return isByClockAhead || lead >= -(SKEW_MS + TRUNCATED_MS) ? 'read' : 'stale';
}

/** The version of a read: never behind what it replaces, even if our clock is. */
export function readVersion(
  startedAt: DateTime,
  createdAt: DateTime,
  stored: MirrorVersion | undefined,
): DateTime {
  const floor = Math.max(createdAt.toMillis(), stored?.version.toMillis() ?? 0) + 1;
  return startedAt.toMillis() >= floor ? startedAt : startedAt.plus(floor - startedAt.toMillis());
}

/**
 * What is stored with this version or an older one came before a read that began at `startedAt`, whoever's clock it
 * goes by: the read shows the same state or a newer one.
 */
export function newestSurelyBefore(startedAt: DateTime): DateTime {
  return startedAt.minus(SKEW_MS + TRUNCATED_MS + 1);
}
