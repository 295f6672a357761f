import type { DeclineCodes } from './classify.ts';

type Stored = { readonly [Code in keyof DeclineCodes]: string | null };

/** The codes of a stored attempt, as the classes of declines take them. */
export function attemptCodes(attempt: Stored): DeclineCodes {
  return {
    methodType: attempt.methodType ?? undefined,
    brand: attempt.brand ?? undefined,
    code: attempt.code ?? undefined,
    declineCode: attempt.declineCode ?? undefined,
    adviceCode: attempt.adviceCode ?? undefined,
    networkCode: attempt.networkCode ?? undefined,
    networkAdvice: attempt.networkAdvice ?? undefined,
  };
}
