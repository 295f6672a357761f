/** Parts of Stripe objects, read as untrusted input: required fields may be missing, and enums are open (stripe-facts 2.6). */
import { z } from 'zod';
import { unixToIsoSeconds } from '../../../core/base/clock.ts';

/** Years 1 to 9999, the range of the service's timestamps. */
const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

/** Stripe's time as the service's timestamp. */
export const stripeTime = z.compile(z.int().min(FIRST_SECOND).max(LAST_SECOND).transform(unixToIsoSeconds));

/** An optional time: other values are passed on, and left out by `fitMessage`. */
export const looseTime = z
  .unknown()
  // Most are null, and a schema makes an error of each.
  .transform((value) => (typeof value === 'number' ? (stripeTime.safeParse(value).data ?? value) : value))
  .optional();

/** Stripe writes currencies in lower case, the service in upper case (stripe-facts 2.4). */
export const currencyCode = z
  .string()
  .regex(/^[A-Za-z]{3}$/, 'must be a three-letter currency code')
  .transform((code) => code.toUpperCase());

/** The default `collection_method`. */
export const CHARGED_BY_STRIPE = 'charge_automatically';

/** An id, or the expanded, perhaps deleted object with it. */
export const reference = z.union(
  [z.string(), z.object({ id: z.string() }).transform((object) => object.id)],
  'must be an id or an object with an id',
);

/** The customer, or the account in its place (stripe-facts 2.2, `customer_account`). */
export const customerReference = {
  customer: reference.nullish(),
  customer_account: z.string().nullish(),
};
