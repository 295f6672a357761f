/**
 * The one rule of what an attempt is about: the method it used, not the invoice. Guards and policy decide (class, counts, rest, odds,
 * asking, ending) by the attempts with the method that would be charged next. Pure.
 */

/** The fields by which methods are distinguished, as far as they are known. */
export interface UsedMethod {
  /** The same number, of a card or an account, has the same one. */
  readonly fingerprint?: string | null | undefined;
  /** Stripe's id. */
  readonly paymentMethod?: string | null | undefined;
}

/** Whether two attempts were made with one method: by the number where both show it, else by the id. Neither is no method, or an unknown one. */
export function isSameMethod(one: UsedMethod, other: UsedMethod): boolean {
  if (one.fingerprint && other.fingerprint) return one.fingerprint === other.fingerprint;
  if (one.paymentMethod || other.paymentMethod) return one.paymentMethod === other.paymentMethod;
  return !one.fingerprint && !other.fingerprint;
}

/** The attempts that were made with a method. */
export function listAttemptsWith<Attempt extends UsedMethod>(
  attempts: readonly Attempt[],
  method: UsedMethod | undefined,
): Attempt[] {
  return attempts.filter((attempt) => isSameMethod(attempt, method ?? {}));
}

/** The id of the method that would be charged next: the one given since the invoice failed, while it is still chosen; else Stripe's choice. */
export function findNextMethod(chosen: readonly string[], given: string | undefined): string | undefined {
  return given !== undefined && chosen.includes(given) ? given : chosen[0];
}
