import { DateTime } from 'luxon';

/** To the second, in UTC, so that it can be looked up in a log. */
export function exactMoment(instant: Date): string {
  return DateTime.fromJSDate(instant, { zone: 'utc' }).toFormat("yyyy-MM-dd HH:mm:ss 'UTC'");
}
