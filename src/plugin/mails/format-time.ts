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
  return /^fr\b/.test(locale) ? writeFrench(text) : text;
}

/** Writes the first of a month as an ordinal and a local time as `16 h 30`, which `Intl` does not. */
function writeFrench(text: string): string {
  return text
    .replace(/^1(?=\s)/, '1er')
    .replace(/0?(\d{1,2})(?::| h )(\d\d) UTC[+\u2212-][\d:]{1,5}$/, (_, hour: string, minute: string) =>
      minute === '00' ? `${hour} h` : `${hour} h ${minute}`,
    );
}
