import type { DateTime } from 'luxon';

/** UTC to the second, to look it up in a log. */
export function exactMoment(instant: DateTime): string {
  return instant.toUTC().toFormat("yyyy-MM-dd HH:mm:ss 'UTC'");
}
