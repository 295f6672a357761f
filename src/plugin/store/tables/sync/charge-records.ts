/** Attempts as Stripe reports them: its own and ours. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { AttemptMethod, AttemptResult } from '../retry/attempts.ts';
import { describeGiven, toColumn } from './mirrors.ts';

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

/** What a later look at a charge may not know, and does not take away. */
const KEPT = {
  paymentMethod: 'text',
  methodType: 'text',
  brand: 'text',
  fingerprint: 'text',
  cardExpiry: 'text',
  paymentIntent: 'text',
};
/** What the latest look says. */
const REPLACED = {
  code: 'text',
  declineCode: 'text',
  adviceCode: 'text',
  networkCode: 'text',
  networkAdvice: 'text',
  detail: 'text',
  message: 'jsonb',
};

/** The columns of an attempt that a charge tells, for all who write them. */
export const CHARGES = {
  ...describeGiven({
    id: 'uuid',
    invoiceId: 'text',
    customerId: 'text',
    subscriptionId: 'text',
    chargeId: 'text',
    amount: 'bigint',
    currency: 'text',
    startedAt: 'timestamptz',
    finishedAt: 'timestamptz',
    refunded: 'bigint',
    outcome: 'text',
    version: 'timestamptz',
    ...KEPT,
    ...REPLACED,
  }),
  /** That the customer must confirm is known from the intent, and the charge says `declined`. */
  outcome: (stored: string, newer: string) =>
    `case when ${stored}.outcome = 'requires_action' and ${newer}.outcome = 'declined'
      then ${stored}.outcome else ${newer}.outcome end`,
  /** What becomes of a stored row; a refund that failed is told by its event. */
  merge: (stored: string, newer: string) =>
    [
      ...Object.keys(KEPT)
        .map(toColumn)
        .map((name) => `${name} = coalesce(${newer}.${name}, ${stored}.${name})`),
      ...Object.keys(REPLACED)
        .map(toColumn)
        .map((name) => `${name} = ${newer}.${name}`),
      `outcome = ${CHARGES.outcome(stored, newer)}`,
      `refunded = greatest(${stored}.refunded, ${newer}.refunded)`,
      `finished_at = coalesce(${stored}.finished_at, ${newer}.finished_at)`,
    ].join(', '),
  rowOf: ({ result, chargedAt, refunded = 0, ...charge }: ChargeRecord) => ({
    ...result,
    ...charge,
    refunded,
    startedAt: chargedAt,
    finishedAt: chargedAt,
  }),
};

/**
 * Adds a charge that we learn of from Stripe, or completes the attempt of ours that made it. A charge that is known in
 * a newer state is left alone, unless the service has not received it yet.
 */
export async function recordCharge(db: Queryable, charge: ChargeRecord): Promise<void> {
  const columns = CHARGES.columns.join(', ');
  await db.query(
    `with given as (${CHARGES.given})
     insert into payment_retry.attempts (account, source, ${columns}) select $1, 'stripe', ${columns} from given
     on conflict (account, charge_id) where charge_id is not null do update
     set ${CHARGES.merge('attempts', 'excluded')}, version = greatest(excluded.version, attempts.version)
     where attempts.version is null
       or (attempts.version <= excluded.version and attempts.outcome is distinct from excluded.outcome)
       or (attempts.message is null and excluded.message is not null)`,
    [charge.account, CHARGES.give([CHARGES.rowOf(charge)])],
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
