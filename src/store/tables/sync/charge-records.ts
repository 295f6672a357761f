/** Attempts as Stripe reports them: its own and ours. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../engine/database.ts';
import type { AttemptMethod, AttemptResult } from '../retry/attempts.ts';

/** A charge as Stripe's events show it. */
export interface ChargeRecord extends AttemptMethod {
  id: string;
  account: string;
  invoiceId: string;
  customerId: string | undefined;
  subscriptionId: string | undefined;
  chargeId: string;
  paymentIntent?: string | undefined;
  amount: number;
  /** What was given back of it; an attempt without a charge has nothing. */
  refunded?: number;
  currency: string;
  chargedAt: DateTime;
  result: AttemptResult;
  message: object | undefined;
  version: DateTime;
}

/** Of two rows about one charge: that the customer must confirm is known from the intent, and the charge says `declined`. */
export function mergeOutcome(stored: string, newer: string): string {
  return `case when ${stored}.outcome = 'requires_action' and ${newer}.outcome = 'declined'
    then ${stored}.outcome else ${newer}.outcome end`;
}

/**
 * Adds a charge that we learn of from Stripe, or completes the attempt of ours that made it. A charge that is known in
 * a newer state is left alone, unless the service has not received it yet.
 */
export async function recordCharge(db: Queryable, charge: ChargeRecord): Promise<void> {
  await db.query(
    `insert into payment_retry.attempts (id, account, invoice_id, customer_id, subscription_id, source, payment_method,
       method_type, brand, fingerprint, amount, currency, charge_id, started_at, finished_at, outcome, code,
       decline_code, advice_code, network_code, network_advice, detail, message, version, card_expiry, refunded,
       payment_intent)
     values ($1, $2, $3, $4, $5, 'stripe', $6, $7, $8, $9, $10, $11, $12, $13, $13, $14, $15, $16, $17, $18, $19, $20,
       $21::jsonb, $22, $23, $24, $25)
     on conflict (account, charge_id) where charge_id is not null do update
     set payment_method = coalesce(excluded.payment_method, attempts.payment_method),
         method_type = coalesce(excluded.method_type, attempts.method_type),
         brand = coalesce(excluded.brand, attempts.brand),
         fingerprint = coalesce(excluded.fingerprint, attempts.fingerprint),
         card_expiry = coalesce(excluded.card_expiry, attempts.card_expiry), code = excluded.code,
         payment_intent = coalesce(excluded.payment_intent, attempts.payment_intent),
         outcome = ${mergeOutcome('attempts', 'excluded')}, decline_code = excluded.decline_code, advice_code = excluded.advice_code,
         network_code = excluded.network_code, network_advice = excluded.network_advice, detail = excluded.detail,
         finished_at = coalesce(attempts.finished_at, excluded.finished_at),
         message = excluded.message, version = greatest(excluded.version, attempts.version)
     where attempts.version is null
       or (attempts.version <= excluded.version and attempts.outcome is distinct from excluded.outcome)
       or (attempts.message is null and excluded.message is not null)`,
    [
      ...[charge.id, charge.account, charge.invoiceId, charge.customerId, charge.subscriptionId],
      ...[charge.paymentMethod, charge.methodType, charge.brand, charge.fingerprint, charge.amount],
      ...[charge.currency, charge.chargeId, charge.chargedAt, charge.result.outcome, charge.result.code],
      ...[charge.result.declineCode, charge.result.adviceCode, charge.result.networkCode],
      ...[charge.result.networkAdvice, charge.result.detail],
      ...[charge.message ? JSON.stringify(charge.message) : null, charge.version, charge.cardExpiry],
      ...[charge.refunded ?? 0, charge.paymentIntent],
    ],
  );
}

/** Whether a charge is, or may turn out to be, what an attempt of ours made. */
export async function isOwnCharge(
  db: Queryable,
  { account, invoiceId, chargeId }: { account: string; invoiceId: string; chargeId: string },
): Promise<boolean> {
  const rows = await db.query(
    `select 1 as one from payment_retry.attempts
     where account = $1 and invoice_id = $2 and source = 'ours' and (charge_id = $3 or outcome is null) limit 1`,
    [account, invoiceId, chargeId],
  );
  return rows.length > 0;
}

/** What was given back of a charge until now; less again where a refund fails. */
export async function recordRefund(
  db: Queryable,
  { account, chargeId, refunded }: { account: string; chargeId: string; refunded: number },
): Promise<void> {
  await db.query(
    `update payment_retry.attempts set refunded = $3 where account = $1 and charge_id = $2 and refunded <> $3`,
    [account, chargeId, refunded],
  );
}

/**
 * Charges of an invoice that are recorded in a final state, so that they need not be read again; with `isForwarded` those of
 * them that have a message for the service: what a sign-up held back is forwarded once it is completed.
 */
export async function listSettledCharges(
  db: Queryable,
  account: string,
  invoiceId: string,
  { isForwarded }: { isForwarded: boolean },
): Promise<string[]> {
  const rows = await db.query<{ charge: string }>(
    `select charge_id as charge from payment_retry.attempts
     where account = $1 and invoice_id = $2 and charge_id is not null and version is not null
       and outcome in ('paid', 'declined', 'requires_action') and (message is not null or not $3::boolean)`,
    [account, invoiceId, isForwarded],
  );
  return rows.map((row) => row.charge);
}
