import type { DateTime } from 'luxon';
import type { AttemptMethod, AttemptResult, StoredAttempt } from '../../store/tables/retry/attempts.ts';

interface StripesAttempt extends Partial<AttemptMethod>, Omit<AttemptResult, 'chargeId' | 'message'> {
  readonly id: string;
  readonly invoiceId: string;
  readonly amount: number;
  readonly currency: string;
  readonly startedAt: DateTime;
}

/** A charge that Stripe made by itself, as if it were recorded. Pure. */
export function asStoredAttempt(charge: StripesAttempt): StoredAttempt {
  return {
    id: charge.id,
    invoiceId: charge.invoiceId,
    subscriptionId: null,
    actionId: null,
    source: 'stripe',
    attemptNumber: null,
    idempotencyKey: null,
    paymentMethod: charge.paymentMethod ?? null,
    methodType: charge.methodType ?? null,
    brand: charge.brand ?? null,
    fingerprint: charge.fingerprint ?? null,
    cardExpiry: charge.cardExpiry ?? null,
    amount: charge.amount,
    currency: charge.currency,
    chargeId: charge.id,
    startedAt: charge.startedAt,
    calls: 0,
    calledAt: null,
    outcome: charge.outcome,
    code: charge.code ?? null,
    declineCode: charge.declineCode ?? null,
    adviceCode: charge.adviceCode ?? null,
    networkCode: charge.networkCode ?? null,
    networkAdvice: charge.networkAdvice ?? null,
    detail: charge.detail ?? null,
  };
}
