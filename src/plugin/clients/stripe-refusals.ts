/** Refused reads: the object is missing, or the key may not read it. */
import Stripe from 'stripe';

/** Undefined if Stripe does not have the object. */
export const orUndefined = <T>(read: () => Promise<T>) => unless(isMissing, read);

/** Undefined if the key may not read it. Throws if the whole account is inaccessible. */
export const ifAllowed = <T>(read: () => Promise<T>) =>
  unless((error) => isForbidden(error) || isMissing(error), read);

async function unless<T>(isExpected: (error: unknown) => boolean, read: () => Promise<T>) {
  try {
    return await read();
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw error;
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof Stripe.errors.StripePermissionError && error.code !== 'account_invalid';
}

function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 404;
}

/** Whether Stripe refused the key, in general or for this call: nothing was done, and a person must fix it. */
export function isAccessRefused(error: unknown): boolean {
  const { StripeAuthenticationError: Authentication, StripePermissionError: Permission } = Stripe.errors;
  return error instanceof Authentication || error instanceof Permission;
}
