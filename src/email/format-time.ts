import { DateTime } from 'luxon';

/** A date and time in words, with its zone; in UTC if the zone does not exist. */
export function formatTime(instant: DateTime, zone: string, locale: string): string {
  const local = instant.setZone(zone);
  const text = (local.isValid ? local : instant.toUTC())
    .setLocale(locale)
    .toLocaleString(DateTime.DATETIME_FULL);
  // French counts the first of a month, and only that, as an ordinal; `Intl` does not.
  return /^fr\b/.test(locale) ? text.replace(/^1(?=\s)/, '1er') : text;
}
