import { DateTime } from 'luxon';

/** A date and time in words, with its zone; in UTC if the zone does not exist. */
export function formatTime(instant: DateTime, zone: string, locale: string): string {
  return format(instant, { zone, locale }, DateTime.DATETIME_FULL);
}

/** The day alone. */
export function formatDay(instant: DateTime, zone: string, locale: string): string {
  return format(instant, { zone, locale }, DateTime.DATE_FULL);
}

function format(
  instant: DateTime,
  { zone, locale }: { zone: string; locale: string },
  form: Intl.DateTimeFormatOptions,
): string {
  const local = instant.setZone(zone);
  const text = (local.isValid ? local : instant.toUTC()).setLocale(locale).toLocaleString(form);
  // French counts the first of a month, and only that, as an ordinal; `Intl` does not.
  return /^fr\b/.test(locale) ? text.replace(/^1(?=\s)/, '1er') : text;
}
