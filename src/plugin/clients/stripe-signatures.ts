/** Verification of Stripe's signatures. */
import type Stripe from 'stripe';

const APP_SIGNATURE_SECONDS = 300;
const MOST_AHEAD_MS = 300_000;

/** A valid signature with a wrong time: a wrong clock, or a replayed request. */
export class SignatureTimeError extends Error {
  /** Milliseconds by which this machine's clock is ahead of the signature, negative if behind. */
  readonly aheadMs: number;

  constructor(aheadMs: number) {
    super('The signature fits, and its time does not.');
    this.aheadMs = aheadMs;
  }
}

/** The header's time with the largest distance from the receipt. */
function aheadOf(header: string, receivedAtMs: number): number {
  const times = header.split(',').flatMap((part) => /^\s*t=(\d+)/.exec(part)?.[1] ?? []);
  const distances = times.map((seconds) => receivedAtMs - Number(seconds) * 1000);
  return distances.sort((one, other) => Math.abs(other) - Math.abs(one))[0] ?? Number.POSITIVE_INFINITY;
}

/** Refuses future times, which the SDK accepts: such a request could be kept and replayed. */
function isAhead(header: string, receivedAtMs: number): boolean {
  const times = header.split(',').flatMap((part) => /^\s*t=(\d+)/.exec(part)?.[1] ?? []);
  return times.some((seconds) => Number(seconds) * 1000 > receivedAtMs + MOST_AHEAD_MS);
}

export function createStripeSignatures(stripe: Stripe) {
  return {
    /** Throws unless the secret signed the raw body within five minutes of `receivedAtMs`; SignatureTimeError if only the time is wrong. */
    verifySignature: (payload: string, header: string, secret: string, receivedAtMs: number): void => {
      // Tolerance zero skips the time check, which the library reports like a wrong secret.
      if (!stripe.webhooks.signature?.verifyHeader(payload, header, secret, 0))
        throw new Error('The signature does not fit.');
      const aheadMs = aheadOf(header, receivedAtMs);
      if (Math.abs(aheadMs) > MOST_AHEAD_MS) throw new SignatureTimeError(aheadMs);
    },

    /** Whether one of the app's secrets signed this text within five minutes of `receivedAtMs` (stripe-facts 7.5). */
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
          // The library may throw a plain error, as for an empty `v1=`.
          return false;
        }
      }),
  };
}
