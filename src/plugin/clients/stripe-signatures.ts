/** Whether Stripe signed what came in. */
import type Stripe from 'stripe';

const APP_SIGNATURE_SECONDS = 300;
const MOST_AHEAD_MS = 300_000;

/** The secret signed it, and at another time than now: one of the clocks is wrong, or somebody kept the request. */
export class SignatureTimeError extends Error {
  /** By how much this machine's clock is ahead of the signature; less than zero: behind it. */
  readonly aheadMs: number;

  constructor(aheadMs: number) {
    super('The signature fits, and its time does not.');
    this.aheadMs = aheadMs;
  }
}

/** The time that is furthest from the receipt, of which a header has one. */
function aheadOf(header: string, receivedAtMs: number): number {
  const times = header.split(',').flatMap((part) => /^\s*t=(\d+)/.exec(part)?.[1] ?? []);
  const distances = times.map((seconds) => receivedAtMs - Number(seconds) * 1000);
  return distances.sort((one, other) => Math.abs(other) - Math.abs(one))[0] ?? Number.POSITIVE_INFINITY;
}

/** The SDK looks for old signatures alone; one made for later could be kept until then. */
function isAhead(header: string, receivedAtMs: number): boolean {
  const times = header.split(',').flatMap((part) => /^\s*t=(\d+)/.exec(part)?.[1] ?? []);
  return times.some((seconds) => Number(seconds) * 1000 > receivedAtMs + MOST_AHEAD_MS);
}

export function createStripeSignatures(stripe: Stripe) {
  return {
    /** Throws unless the secret signed the raw body within five minutes of `receivedAtMs`; a SignatureTimeError where only the time is wrong. */
    verifySignature: (payload: string, header: string, secret: string, receivedAtMs: number): void => {
      // A tolerance of zero compares no times, which the library would report in the words of a wrong secret.
      if (!stripe.webhooks.signature?.verifyHeader(payload, header, secret, 0))
        throw new Error('The signature does not fit.');
      const aheadMs = aheadOf(header, receivedAtMs);
      if (Math.abs(aheadMs) > MOST_AHEAD_MS) throw new SignatureTimeError(aheadMs);
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
