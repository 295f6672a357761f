/** What the fields of messages and forms may hold, checked before it is stored. */
import { DateTime } from 'luxon';
import { z } from 'zod';

/** Half a surrogate pair: JSON can write it, and neither UTF-8 nor PostgreSQL can. */
export const hasHalfCharacter = (text: string): boolean => /\p{Surrogate}/u.test(text);

/**
 * Identifiers are kept to printable text: PostgreSQL stores no NUL, and no sender uses control characters. The OpenAPI document
 * carries the pattern, so it has only what every engine reads; half characters are refused beside it.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about exactly these
const PRINTABLE = /^[^\x00-\x1f]{1,255}$/u;
const UNPRINTABLE = 'must be 1 to 255 printable characters';
export const identifier = z
  .string()
  .regex(PRINTABLE, UNPRINTABLE)
  .refine((text) => !hasHalfCharacter(text), UNPRINTABLE);
export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be an upper-case ISO 4217 code')
  .describe('ISO 4217, upper case.');
export const amount = z.int().describe("In the currency's smallest unit.");

/** A timestamp as we write it ourselves, which is nearly every one: checked without luxon's parser. */
const OWN_FORM =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/;

/** Every month has 28 days. The platform takes 30 February for 2 March, so a later day is compared. */
function isOwnForm(text: string): boolean {
  const day = OWN_FORM.exec(text)?.[1];
  return day !== undefined && (day <= '28' || new Date(text).getUTCDate() === Number(day));
}

/** When that is, in milliseconds since 1970; without an offset it is UTC. NaN of what is no timestamp. */
export function timestampMillis(text: string): number {
  return isOwnForm(text) ? Date.parse(text) : DateTime.fromISO(text, { zone: 'utc' }).toMillis();
}

/** Years that ISO 8601 writes with four digits; others the database does not read. */
function dateTime(form: RegExp, message: string, description: string) {
  const isInstant = (text: string) => {
    if (isOwnForm(text)) return true;
    const at = DateTime.fromISO(text, { zone: 'utc' });
    return form.test(text) && at.isValid && at.year >= 1 && at.year <= 9999;
  };
  return z.string().refine(isInstant, { message }).meta({ format: 'date-time', description });
}

/** Not a year or a time of day alone, which ISO 8601 allows: the rest of the date would be made up. */
export const timestamp = dateTime(
  /^\d{4}-?\d{2}-?\d{2}(?:T|$)/i,
  'must be an ISO 8601 date-time',
  'ISO 8601, UTC where it names no offset. A time without its date is refused, and so is a leap second (`:60`).',
);

/** When money may be taken: nothing of it is guessed, the offset included. */
export const instant = dateTime(
  /^\d{4}-?\d{2}-?\d{2}T\d{2}:?\d{2}(?::?\d{2}(?:[.,]\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/i,
  'must be an ISO 8601 date and time with its offset, such as 2026-03-04T14:00:00Z',
  'ISO 8601 with its offset, in the years 1 to 9999. A leap second (`:60`) is refused.',
);

/** A text that PostgreSQL takes: no control character, and no half of one. */
export const oneLine = (max: number) =>
  z
    .string()
    .trim()
    .regex(new RegExp(`^[^\\x00-\\x1f\\x7f-\\x9f]{1,${max}}$`, 'u'), `1 to ${max} characters in one line`)
    .refine((text) => !hasHalfCharacter(text), `1 to ${max} characters in one line`);
