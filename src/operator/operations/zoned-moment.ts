/** Moments as people give them to an operation: ISO 8601, on the clocks of a zone where the text names none itself. */
import { DateTime, IANAZone } from 'luxon';
import { z } from 'zod';

export const zonedMoment = z
  .string()
  .trim()
  // Without its day, a time would be of the day on which it is read.
  .refine(
    (given) => /^\d{4}/.test(given) && parse(given).isValid,
    'a date or a time as ISO 8601, such as 2026-04-01T09:00Z',
  );

export const zoneName = z
  .string()
  .trim()
  .refine(IANAZone.isValidZone, 'an IANA time zone, such as Europe/Berlin')
  .default('UTC');

/**
 * Undefined for a time that the zone's clocks leave out when they go forward; of one that they show twice, the second. A day
 * begins with the first time that there is on it. Takes what `zonedMoment` and `zoneName` let pass.
 */
export function toMoment(given: string, zone: string): DateTime | undefined {
  const [moment, asWritten] = [parse(given, zone), parse(given.replace(/\[.*$/s, ''))];
  const isDay = !/t/i.test(given);
  if (!isDay && onTheWall(moment) !== onTheWall(asWritten)) return undefined;
  return DateTime.max(...moment.getPossibleOffsets());
}

function parse(given: string, zone = 'UTC'): DateTime {
  return DateTime.fromISO(given, { zone, setZone: true });
}

function onTheWall(moment: DateTime): string | null {
  return moment.toISO({ includeOffset: false });
}
