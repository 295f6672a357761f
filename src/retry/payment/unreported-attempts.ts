/** Stripe's own attempts on an invoice that no event has reported yet: the limits count them too (stripe-facts 5.10). */
import type Stripe from 'stripe';
import { readCharge } from '../../clients/charge-facts.ts';
import { idOf } from '../../clients/stripe-client.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { StoredAttempt } from '../../store/tables/retry/attempts.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

/**
 * Their events may be late or lost when the instruction is on time. The latest charges stand on the invoice just read,
 * so only one that is not recorded costs more reading.
 */
export async function listUnreportedAttempts(
  deps: Pick<RetryDeps, 'stripe' | 'logger'>,
  { account, invoiceId }: Pick<StoredAction, 'account' | 'invoiceId'>,
  { invoice, recorded }: { invoice: Stripe.Invoice; recorded: readonly StoredAttempt[] },
): Promise<StoredAttempt[]> {
  const known = new Set(recorded.map(({ chargeId }) => chargeId));
  if (listLatestCharges(invoice).every((id) => known.has(id))) return [];
  const charges = await deps.stripe.listCharges(account, invoiceId);
  const unreported = charges.filter(({ id }) => !known.has(id)).map((charge) => toAttempt(invoiceId, charge));
  deps.logger.info(
    { account, invoiceId, charges: unreported.map(({ chargeId }) => chargeId) },
    'Stripe tried the invoice, and its event has not arrived; the attempt is counted',
  );
  return unreported;
}

function listLatestCharges({ payments }: Stripe.Invoice): string[] {
  return (payments?.data ?? []).flatMap(({ payment: { payment_intent: intent } }) =>
    typeof intent === 'object' && intent !== null ? (idOf(intent.latest_charge) ?? []) : [],
  );
}

function toAttempt(invoiceId: string, charge: Stripe.Charge): StoredAttempt {
  const { result, chargedAt, ...facts } = readCharge(charge);
  return {
    id: charge.id,
    invoiceId,
    actionId: null,
    source: 'stripe',
    attemptNumber: null,
    idempotencyKey: null,
    chargeId: facts.chargeId,
    amount: facts.amount,
    currency: facts.currency,
    paymentMethod: facts.paymentMethod ?? null,
    methodType: facts.methodType ?? null,
    brand: facts.brand ?? null,
    fingerprint: facts.fingerprint ?? null,
    cardExpiry: facts.cardExpiry ?? null,
    startedAt: chargedAt.toJSDate(),
    calls: 0,
    outcome: result.outcome,
    code: result.code ?? null,
    declineCode: result.declineCode ?? null,
    adviceCode: result.adviceCode ?? null,
    networkCode: result.networkCode ?? null,
    networkAdvice: result.networkAdvice ?? null,
    detail: result.detail ?? null,
  };
}
