import type { DateTime } from 'luxon';

/** To the second, in UTC, so that it can be looked up in a log. */
export function exactMoment(instant: DateTime): string {
  return instant.toUTC().toFormat("yyyy-MM-dd HH:mm:ss 'UTC'");
}
