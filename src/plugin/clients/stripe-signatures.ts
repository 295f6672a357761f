/** Whether Stripe signed what came in. */
import type Stripe from 'stripe';

const APP_SIGNATURE_SECONDS = 300;
const MOST_AHEAD_MS = 300_000;

/** The SDK looks for old signatures alone; one made for later could be kept until then. */
function isAhead(header: string, receivedAtMs: number): boolean {
  const times = header.split(',').flatMap((part) => /^\s*t=(\d+)/.exec(part)?.[1] ?? []);
  return times.some((seconds) => Number(seconds) * 1000 > receivedAtMs + MOST_AHEAD_MS);
}

export function createStripeSignatures(stripe: Stripe) {
  return {
    /** Throws unless the secret signed the raw body within five minutes of `receivedAtMs`. */
    verifySignature: (payload: string, header: string, secret: string, receivedAtMs: number): void => {
      const { signature, DEFAULT_TOLERANCE } = stripe.webhooks;
      if (!signature?.verifyHeader(payload, header, secret, DEFAULT_TOLERANCE, undefined, receivedAtMs))
        throw new Error('The signature does not fit.');
      if (isAhead(header, receivedAtMs)) throw new Error('The signature is of a time that has not come.');
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
          return stripe.webhooks.signature !== null && !isAhead(signature, receivedAtMs);
        } catch {
          // Not always by an error of its own kind: an empty `v1=` is refused with a plain one.
          return false;
        }
      }),
  };
}
