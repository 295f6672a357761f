/** Stripe's own attempts without an event yet: the limits count them, too (stripe-facts 5.10). */
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { readCharge } from '../../clients/charge-facts.ts';
import { idOf } from '../../clients/chosen-methods.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { AttemptMethod, AttemptResult, StoredAttempt } from '../../store/tables/retry/attempts.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

/** Events may be late or lost. The invoice shows its latest charges, so only an unrecorded one needs more reads. */
export async function listUnreportedAttempts(
  deps: Pick<RetryDeps, 'stripe' | 'logger'>,
  { account, invoiceId }: Pick<StoredAction, 'account' | 'invoiceId'>,
  { invoice, recorded }: { invoice: Stripe.Invoice; recorded: readonly StoredAttempt[] },
): Promise<StoredAttempt[]> {
  if (listUnreported(invoice, recorded).length === 0) return [];
  const known = new Set(recorded.map(({ chargeId }) => chargeId));
  const charges = await deps.stripe.listCharges(account, invoiceId);
  const unreported = charges
    .filter(({ id }) => !known.has(id))
    .map((charge) => {
      const { result, chargeId, chargedAt, ...facts } = readCharge(charge);
      return asStoredAttempt({ ...facts, ...result, id: chargeId, invoiceId, startedAt: chargedAt });
    });
  deps.logger.info(
    { account, invoiceId, charges: unreported.map(({ chargeId }) => chargeId) },
    'Stripe tried the invoice, and its event has not arrived; the attempt is counted',
  );
  return unreported;
}

/** Unrecorded charges, of Stripe's own or of an attempt of ours without an answer. */
export function listUnreported({ payments }: Stripe.Invoice, recorded: readonly StoredAttempt[]): string[] {
  const known = new Set(recorded.map(({ chargeId }) => chargeId));
  const latest = (payments?.data ?? []).flatMap(({ payment: { payment_intent: intent } }) =>
    typeof intent === 'object' && intent !== null ? (idOf(intent.latest_charge) ?? []) : [],
  );
  return latest.filter((id) => !known.has(id));
}

interface StripesAttempt extends Partial<AttemptMethod>, Omit<AttemptResult, 'chargeId' | 'message'> {
  readonly id: string;
  readonly invoiceId: string;
  readonly amount: number;
  readonly currency: string;
  readonly startedAt: DateTime;
}

/** Stripe's charge in the form of a stored attempt. Pure. */
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
    isOtherMethod: false,
  };
}
