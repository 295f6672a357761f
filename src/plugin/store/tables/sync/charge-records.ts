/** Attempts as Stripe reports them, its own and ours. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { setTo, toColumn } from '../../../../core/database/rows.ts';
import type { AttemptMethod, AttemptResult } from '../retry/attempts.ts';
import type { InvoiceKey } from '../retry/takeovers.ts';
import { describeGiven } from './mirrors.ts';

export interface ChargeRecord extends AttemptMethod {
  id: string;
  account: string;
  invoiceId: string;
  customerId: string | undefined;
  subscriptionId: string | undefined;
  chargeId: string;
  paymentIntent?: string | undefined;
  amount: number;
  refunded?: number;
  currency: string;
  chargedAt: DateTime;
  result: AttemptResult;
  message: object | undefined;
  version: DateTime;
}

/** Columns that a later report without the value does not clear. */
const KEPT = {
  paymentMethod: 'text',
  methodType: 'text',
  brand: 'text',
  fingerprint: 'text',
  cardExpiry: 'text',
  paymentIntent: 'text',
};
/** Columns that the latest report replaces. */
const REPLACED = {
  code: 'text',
  declineCode: 'text',
  adviceCode: 'text',
  networkCode: 'text',
  networkAdvice: 'text',
  detail: 'text',
  message: 'jsonb',
};

/** Columns of an attempt that come from a charge, for all writers. */
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
  /** Keeps `requires_action`, known from the intent: the charge says `declined`. */
  outcome: (stored: string, newer: string) =>
    `case when ${stored}.outcome = 'requires_action' and ${newer}.outcome = 'declined'
      then ${stored}.outcome else ${newer}.outcome end`,
  /** SQL that merges a report into a stored row; a failed refund has its own event. */
  merge: (stored: string, newer: string) =>
    [
      ...Object.keys(KEPT)
        .map(toColumn)
        .map((name) => `${name} = coalesce(${newer}.${name}, ${stored}.${name})`),
      setTo(Object.keys(REPLACED).map(toColumn), newer),
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
 * Adds Stripe's charge, or completes our attempt that made it. A newer stored state stays, unless the service has not
 * received it yet.
 */
export async function recordCharge(db: Queryable, charge: ChargeRecord) {
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

/** Whether a charge is, or may be, the result of our attempt. */
export function isOwnCharge(
  db: Queryable,
  { account, invoiceId, chargeId }: InvoiceKey & { chargeId: string },
) {
  return db.has(
    `select 1 as one from payment_retry.attempts
     where account = $1 and invoice_id = $2 and source = 'ours' and (charge_id = $3 or outcome is null) limit 1`,
    [account, invoiceId, chargeId],
  );
}

/** Records the refunded amount, which falls when a refund fails, and the time of the change. */
export async function recordRefund(
  db: Queryable,
  { account, chargeId, refunded, at }: { account: string; chargeId: string; refunded: number; at: DateTime },
) {
  await db.query(
    `update payment_retry.attempts set refunded = $3, refunded_at = $4 where account = $1 and charge_id = $2 and refunded <> $3`,
    [account, chargeId, refunded, at],
  );
}

/**
 * Charges of an invoice in a final state, which need no second read. `isForwarded` selects those with a message for the service:
 * charges held back at sign-up are forwarded once it is completed.
 */
export function listSettledCharges(
  db: Queryable,
  account: string,
  invoiceId: string,
  { isForwarded }: { isForwarded: boolean },
) {
  return db.listValues<string>(
    `select charge_id as charge from payment_retry.attempts
     where account = $1 and invoice_id = $2 and charge_id is not null and version is not null
       and outcome in ('paid', 'declined', 'requires_action') and (message is not null or not $3::boolean)`,
    [account, invoiceId, isForwarded],
  );
}
