/** Types of message and form fields, checked before they are stored. */
import { DateTime } from 'luxon';
import { z } from 'zod';

const HALF = /\p{Surrogate}/u;

/** Whether a text contains half a surrogate pair: JSON can contain it, UTF-8 and PostgreSQL cannot. */
export const hasHalfCharacter = (text: string): boolean => HALF.test(text);

/**
 * Identifiers are printable: PostgreSQL stores no NUL, and no sender uses control characters. The OpenAPI document contains this
 * pattern, so all engines must read it; half characters are refused separately.
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

/** Our own form of a timestamp, by far the most frequent: checked without luxon. */
const OWN_FORM =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/;

/** Days up to 28 exist in every month. The platform takes 30 February for 2 March, so later days are compared. */
function isOwnForm(text: string): boolean {
  const day = OWN_FORM.exec(text)?.[1];
  return day !== undefined && (day <= '28' || new Date(text).getUTCDate() === Number(day));
}

/** Milliseconds since 1970; UTC without an offset. NaN for an invalid timestamp. */
export function timestampMillis(text: string): number {
  return isOwnForm(text) ? Date.parse(text) : DateTime.fromISO(text, { zone: 'utc' }).toMillis();
}

/** Accepts four-digit years only, as the database does. */
function dateTime(form: RegExp, message: string, description: string) {
  const isInstant = (text: string) => {
    if (isOwnForm(text)) return true;
    const at = DateTime.fromISO(text, { zone: 'utc' });
    return form.test(text) && at.isValid && at.year >= 1 && at.year <= 9999;
  };
  return z.string().refine(isInstant, { message }).meta({ format: 'date-time', description });
}

/** Refuses a lone year or time of day, which ISO 8601 allows: the rest would be guessed. */
export const timestamp = dateTime(
  /^\d{4}-?\d{2}-?\d{2}(?:T|$)/i,
  'must be an ISO 8601 date-time',
  'ISO 8601, UTC where it names no offset. A time without its date is refused, and so is a leap second (`:60`).',
);

/** A time to take money: nothing is guessed, not even the offset. */
export const instant = dateTime(
  /^\d{4}-?\d{2}-?\d{2}T\d{2}:?\d{2}(?::?\d{2}(?:[.,]\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/i,
  'must be an ISO 8601 date and time with its offset, such as 2026-03-04T14:00:00Z',
  'ISO 8601 with its offset, in the years 1 to 9999. A leap second (`:60`) is refused.',
);

/** One line of text that PostgreSQL stores: no control or half characters. */
export const oneLine = (max: number) =>
  z
    .string()
    .trim()
    .regex(new RegExp(`^[^\\x00-\\x1f\\x7f-\\x9f]{1,${max}}$`, 'u'), `1 to ${max} characters in one line`)
    .refine((text) => !hasHalfCharacter(text), `1 to ${max} characters in one line`);
