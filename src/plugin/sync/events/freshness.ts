import type { DateTime } from 'luxon';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import type { MirrorVersion } from '../../store/tables/sync/mirror-version.ts';

/** Older than all objects. */
export const BEFORE_ALL = fromUnixSeconds(0);

/** Largest difference between our clock and Stripe's: beyond it, no signature is valid (stripe-facts 1.1). */
const SKEW_MS = 300_000;
/** Stripe truncates event times to seconds, so an event may be this much younger. */
const TRUNCATED_MS = 1_000;

/**
 * Compares a snapshot with the stored version: `apply` it, `read` the object because their order is unknown (same second, or within the
 * clocks' difference of our read), or drop it as `stale`.
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

/** Version of a read: always later than the replaced one, even if our clock is behind. */
export function readVersion(
  startedAt: DateTime,
  createdAt: DateTime,
  stored: MirrorVersion | undefined,
): DateTime {
  const floor = Math.max(createdAt.toMillis(), stored?.version.toMillis() ?? 0) + 1;
  return startedAt.toMillis() >= floor ? startedAt : startedAt.plus(floor - startedAt.toMillis());
}

/** The newest version that surely preceded a read at `startedAt`, by either clock. */
export function newestSurelyBefore(startedAt: DateTime): DateTime {
  return startedAt.minus(SKEW_MS + TRUNCATED_MS + 1);
}
