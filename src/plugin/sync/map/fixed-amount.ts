/**
 * Exact money: integer multiples of 10^-12 minor units. Stripe's decimals have at most 12 places (stripe-facts 2.3), so sums and
 * products are exact; rounding happens once, at the end.
 */
import { z } from 'zod';

const PLACES = 12;
const SCALE = 10n ** BigInt(PLACES);

/** Bounded digits, so that a hostile number costs no time. */
const DECIMAL = /^-?\d{1,30}(?:\.\d{1,12})?$/;

/** `*_decimal` fields: Decimal objects in API answers, strings in webhooks (stripe-facts 2.5). */
export const decimalAmount = z
  .preprocess(toText, z.string().regex(DECIMAL, 'must be a decimal with at most 12 places'))
  .transform(parseDecimal);

/** Whole minor units, such as `unit_amount`. */
export const wholeAmount = z.int().transform((minorUnits) => BigInt(minorUnits) * SCALE);

/** Whole minor units, rounded half up; undefined beyond the exact range of JSON integers. */
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

/** Leaves objects without a callable `toString` to the schema: `String` would throw. */
function toText(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return typeof value.toString === 'function' ? String(value) : value;
}
