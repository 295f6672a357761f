/**
 * Exact money: an integer count of 10^-12 minor units. Stripe's decimals have at most 12 places (stripe-facts 2.3), so
 * sums and products with whole quantities lose nothing; rounding happens once, at the end.
 */
import { z } from 'zod';

const PLACES = 12;
const SCALE = 10n ** BigInt(PLACES);

/** Digits are bounded so that a hostile number costs no time. */
const DECIMAL = /^-?\d{1,30}(?:\.\d{1,12})?$/;

/** `*_decimal` fields: Decimal objects in API answers, plain strings in webhook payloads (stripe-facts 2.5). */
export const decimalAmount = z
  .preprocess(toText, z.string().regex(DECIMAL, 'must be a decimal with at most 12 places'))
  .transform(parseDecimal);

/** `unit_amount` and its kind: whole minor units. */
export const wholeAmount = z.int().transform((minorUnits) => BigInt(minorUnits) * SCALE);

/** Whole minor units, half up (towards positive infinity); undefined beyond what a JSON integer holds exactly. */
export function toMinorUnits(amount: bigint): number | undefined {
  const rounded = divideDown(2n * amount + SCALE, 2n * SCALE);
  const minorUnits = Number(rounded);
  return Number.isSafeInteger(minorUnits) ? minorUnits : undefined;
}

function parseDecimal(text: string): bigint {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(PLACES, '0')}`);
}

function divideDown(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

/** Objects without a `toString` of their own kind would make `String` throw; the schema refuses them instead. */
function toText(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return typeof value.toString === 'function' ? String(value) : value;
}
