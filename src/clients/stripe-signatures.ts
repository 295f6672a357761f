/** Whether Stripe signed what came in. */
import type Stripe from 'stripe';

const APP_SIGNATURE_SECONDS = 300;

export function createStripeSignatures(stripe: Stripe) {
  return {
    /** Throws unless the secret signed the raw body within five minutes of `receivedAtMs`. */
    verifySignature: (payload: string, header: string, secret: string, receivedAtMs: number): void => {
      const { signature, DEFAULT_TOLERANCE } = stripe.webhooks;
      if (!signature?.verifyHeader(payload, header, secret, DEFAULT_TOLERANCE, undefined, receivedAtMs))
        throw new Error('The signature does not fit.');
    },

    /** Whether one of the app's secrets signed exactly this text within five minutes of `receivedAtMs` (stripe-facts 7.5). */
    isSignedByApp: (payload: Buffer, signature: string, secrets: readonly string[], receivedAtMs: number) =>
      secrets.some((secret) => {
        try {
          stripe.webhooks.signature?.verifyHeader(
            payload,
            signature,
            secret,
            APP_SIGNATURE_SECONDS,
            undefined,
            receivedAtMs,
          );
          return stripe.webhooks.signature !== null;
        } catch {
          // Not always by an error of its own kind: an empty `v1=` is refused with a plain one.
          return false;
        }
      }),
  };
}
