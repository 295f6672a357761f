/** What Stripe would not give: it is not there, or the key may not. */
import Stripe from 'stripe';

/** Undefined where Stripe does not have it, or not any more. */
export async function orUndefined<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 404)
      return undefined;
    throw error;
  }
}

/** Undefined where the key may not read it. Where the whole account is out of reach, nothing is known about it. */
export async function ifAllowed<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isForbidden(error) || isMissing(error)) return undefined;
    throw error;
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof Stripe.errors.StripePermissionError && error.code !== 'account_invalid';
}

function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 404;
}

/** Stripe does not take the key, or not for this call: nothing was done, and nothing will be until a person fixes it. */
export function isAccessRefused(error: unknown): boolean {
  const { StripeAuthenticationError: Authentication, StripePermissionError: Permission } = Stripe.errors;
  return error instanceof Authentication || error instanceof Permission;
}
