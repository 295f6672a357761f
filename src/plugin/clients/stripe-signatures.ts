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

/** The receipt's distance from each time in the header, in milliseconds; negative for future times. */
const distancesOf = (header: string, receivedAtMs: number): number[] =>
  header
    .split(',')
    .flatMap((part) => /^\s*t=(\d+)/.exec(part)?.[1] ?? [])
    .map((seconds) => receivedAtMs - Number(seconds) * 1000);

/** The distance from the header's most distant time. */
const aheadOf = (header: string, receivedAtMs: number): number =>
  distancesOf(header, receivedAtMs).sort((one, other) => Math.abs(other) - Math.abs(one))[0] ??
  Number.POSITIVE_INFINITY;

/** Refuses future times, which the SDK accepts: such a request could be kept and replayed. */
const isAhead = (header: string, receivedAtMs: number): boolean =>
  distancesOf(header, receivedAtMs).some((aheadMs) => aheadMs < -MOST_AHEAD_MS);

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
