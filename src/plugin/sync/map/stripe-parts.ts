/**
 * Pieces of Stripe objects, read as if a stranger had sent them: parts that the typings call required may be
 * missing, and enums are open (stripe-facts 2.6). Only what a message needs is looked at.
 */
import { z } from 'zod';
import { unixToIsoSeconds } from '../../../core/base/clock.ts';

/** Years 1 to 9999: all that the service's timestamps can express. */
const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

/** A Stripe time, as the timestamp text of the service. */
export const stripeTime = z.compile(z.int().min(FIRST_SECOND).max(LAST_SECOND).transform(unixToIsoSeconds));

/** Of a field that may be left out: what is no time is passed on as it is, and left out where the message is made. */
export const looseTime = z
  .unknown()
  .transform((value) => stripeTime.safeParse(value).data ?? value)
  .optional();

/** Stripe writes currencies in lower case, the service in upper case. Minor units pass through (stripe-facts 2.4). */
export const currencyCode = z
  .string()
  .regex(/^[A-Za-z]{3}$/, 'must be a three-letter currency code')
  .transform((code) => code.toUpperCase());

/** The usual `collection_method`. */
export const CHARGED_BY_STRIPE = 'charge_automatically';

/** An id, or the expanded (perhaps deleted) object that carries it. */
export const reference = z.union(
  [z.string(), z.object({ id: z.string() }).transform((object) => object.id)],
  'must be an id or an object with an id',
);

/** Whose object it is: the customer, or the account that plays the customer (stripe-facts 2.2, `customer_account`). */
export const customerReference = {
  customer: reference.nullish(),
  customer_account: z.string().nullish(),
};
