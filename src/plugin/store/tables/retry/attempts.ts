import type { DateTime } from 'luxon';
import type { Queryable, Transaction } from '../../../../core/database/database.ts';

/** The method of an attempt; card networks count by fingerprint. */
export interface AttemptMethod {
  paymentMethod: string | undefined;
  methodType: string | undefined;
  /** The network used, once a charge names it, if the card has several. */
  brand: string | undefined;
  fingerprint: string | undefined;
  /** Expiry of a card, `2030-04`. */
  cardExpiry: string | undefined;
}

export interface NewAttempt extends AttemptMethod {
  id: string;
  account: string;
  invoiceId: string;
  customerId: string | undefined;
  subscriptionId: string | undefined;
  actionId: string;
  /** Null if the row only reports to the service that no attempt was made. */
  attemptNumber: number | null;
  idempotencyKey: string;
  amount: number;
  currency: string;
  startedAt: DateTime;
}

export interface StoredAttempt {
  id: string;
  invoiceId: string;
  subscriptionId: string | null;
  actionId: string | null;
  source: 'ours' | 'stripe';
  attemptNumber: number | null;
  idempotencyKey: string | null;
  paymentMethod: string | null;
  methodType: string | null;
  brand: string | null;
  fingerprint: string | null;
  cardExpiry: string | null;
  amount: number | null;
  currency: string | null;
  chargeId: string | null;
  startedAt: DateTime;
  /** Calls to Stripe under one key, and the time of the last. */
  calls: number;
  calledAt: DateTime | null;
  outcome: string | null;
  code: string | null;
  declineCode: string | null;
  adviceCode: string | null;
  networkCode: string | null;
  networkAdvice: string | null;
  detail: string | null;
  /** Made with a method that is not the next to be charged, as reported to the service. */
  isOtherMethod: boolean;
}

export interface AttemptResult {
  outcome: string;
  chargeId?: string | undefined;
  code?: string | undefined;
  declineCode?: string | undefined;
  adviceCode?: string | undefined;
  networkCode?: string | undefined;
  networkAdvice?: string | undefined;
  detail?: string | undefined;
  /** The record for the service if there is no charge. */
  message?: object | undefined;
}

const COLUMNS = `id, invoice_id, subscription_id, action_id, source, attempt_number,
  idempotency_key, payment_method, method_type, brand,
  fingerprint, card_expiry, amount, currency, charge_id, started_at, calls, called_at, outcome,
  code, decline_code, advice_code, network_code,
  network_advice, detail, coalesce((message->>'isOtherMethod')::boolean, false) as is_other_method`;

/** Inserted before the call to Stripe. The database refuses a second attempt with the same number. */
export async function insertAttempt(db: Queryable, attempt: NewAttempt) {
  await db.query(
    `insert into payment_retry.attempts (id, account, invoice_id, customer_id, subscription_id, action_id, source,
       attempt_number, idempotency_key, payment_method, method_type, brand, fingerprint, amount, currency, started_at,
       card_expiry)
     values ($1, $2, $3, $4, $5, $6, 'ours', $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      ...[attempt.id, attempt.account, attempt.invoiceId, attempt.customerId, attempt.subscriptionId],
      ...[attempt.actionId, attempt.attemptNumber, attempt.idempotencyKey, attempt.paymentMethod],
      ...[attempt.methodType, attempt.brand, attempt.fingerprint, attempt.amount, attempt.currency],
      ...[attempt.startedAt, attempt.cardExpiry],
    ],
  );
}

/** Counts all our attempts on the invoice; Stripe's `attempt_count` leaves them out (stripe-facts 3.2). */
export function nextAttemptNumber(db: Queryable, account: string, invoiceId: string) {
  return db.getValue<number>(
    `select coalesce(max(attempt_number), 0) + 1 as next from payment_retry.attempts
     where account = $1 and invoice_id = $2`,
    [account, invoiceId],
  );
}

/** Counts another call to Stripe under the same key. False if another process concluded the attempt. */
export function countCall(db: Queryable, id: string, now: DateTime) {
  return db.has(
    `update payment_retry.attempts set calls = calls + 1, called_at = $2 where id = $1 and outcome is null returning id`,
    [id, now],
  );
}

/** Whether nothing was called or concluded since the attempt was read. Locks the row. */
export function isAsRead(tx: Transaction, { id, calls }: Pick<StoredAttempt, 'id' | 'calls'>) {
  return tx.has(
    `select 1 as one from payment_retry.attempts where id = $1 and calls = $2 and outcome is null for update`,
    [id, calls],
  );
}

export function listAttemptsOfInvoice(db: Queryable, account: string, invoiceId: string) {
  return db.query<StoredAttempt>(
    `select ${COLUMNS} from payment_retry.attempts where account = $1 and invoice_id = $2 order by started_at`,
    [account, invoiceId],
  );
}

/**
 * Attempts on a card by any party on any invoice since `since`, which networks count (stripe-facts 5.10); before it, the
 * latest success, and declines without a later success, because a permanent refusal stays in force (stripe-facts 5.4).
 */
export function listAttemptsOnFingerprint(
  db: Queryable,
  account: string,
  fingerprint: string,
  since: DateTime,
) {
  return db.query<StoredAttempt>(
    `select ${COLUMNS} from payment_retry.attempts
     where account = $1 and fingerprint = $2 and (started_at >= $3 or outcome in ('declined', 'paid') and not exists (
       select 1 from payment_retry.attempts as later
       where later.account = $1 and later.fingerprint = $2 and later.outcome = 'paid' and later.charge_id is not null
         and date_trunc('second', later.started_at) > date_trunc('second', attempts.started_at)
         and (later.card_expiry = attempts.card_expiry) is not false))
     order by started_at`,
    [account, fingerprint, since],
  );
}

/** Methods that have paid an invoice of the customer. */
export async function listMethodsThatPaid(db: Queryable, account: string, customerId: string) {
  const found = await db.listValues<string>(
    `select distinct payment_method from payment_retry.attempts
     where account = $1 and customer_id = $2 and outcome = 'paid' and charge_id is not null and payment_method is not null`,
    [account, customerId],
  );
  return new Set(found);
}

/** Blocks whoever locks the same thing of an account, until the transaction ends. */
export async function lock(tx: Queryable, account: string, thing: string) {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))::text as locked', [
    `${account} ${thing}`,
  ]);
}

type Twin = Pick<
  StoredAttempt,
  | 'code'
  | 'declineCode'
  | 'adviceCode'
  | 'networkCode'
  | 'networkAdvice'
  | 'brand'
  | 'fingerprint'
  | 'cardExpiry'
> & {
  message: object | null;
  version: DateTime<true> | null;
  delivered: DateTime<true> | null;
  paymentIntent: string | null;
};

/**
 * Attempts without a charge are named by their payment intent, which several may share: the first keeps the name.
 * Stripe's clock may lag up to five seconds behind ours.
 */
const namesIntent = (parameter: string) => `starts_with(coalesce(${parameter}::text, ''), 'pi_')`;

/**
 * Records the outcome of our attempt. If Stripe's event of the same charge came first, its row hands over charge and message, its
 * codes, because a charge names a block that the error does not (stripe-facts 5.3), and the card's network (stripe-facts 5.1).
 */
export async function finishAttempt(db: Queryable, id: string, result: AttemptResult, now: DateTime) {
  const [twin] = await db.query<Twin>(
    `delete from payment_retry.attempts
     where charge_id = $2 and source = 'stripe' and account = (select account from payment_retry.attempts where id = $1)
       and (not ${namesIntent('$2')}
         or started_at >= (select started_at - interval '5 seconds' from payment_retry.attempts where id = $1))
     returning message, version, delivered_version as delivered, code, decline_code,
       advice_code, network_code, network_advice, brand, fingerprint,
       card_expiry, payment_intent`,
    [id, result.chargeId],
  );
  const message = twin?.message ?? result.message;
  await db.query(
    `update payment_retry.attempts
     set finished_at = $2, outcome = $3, code = $5, decline_code = $6,
         charge_id = case when ${namesIntent('$4')} and exists (
             select 1 from payment_retry.attempts other
             where other.account = attempts.account and other.charge_id = $4 and other.id <> attempts.id)
           then charge_id else coalesce($4, charge_id) end,
         advice_code = $7, network_code = $8, network_advice = $9, detail = $10,
         message = coalesce(message, $11::jsonb), version = coalesce(version, $12),
         delivered_version = coalesce(delivered_version, $13), brand = coalesce($14, brand),
         fingerprint = coalesce($15, fingerprint), card_expiry = coalesce($16, card_expiry),
         payment_intent = coalesce($17, payment_intent)
     where id = $1`,
    [
      ...[id, now, result.outcome, result.chargeId, twin?.code ?? result.code],
      ...[twin?.declineCode ?? result.declineCode, twin?.adviceCode ?? result.adviceCode],
      ...[twin?.networkCode ?? result.networkCode, twin?.networkAdvice ?? result.networkAdvice],
      ...[result.detail, message ? JSON.stringify(message) : null],
      ...[twin?.version ?? (message ? now : undefined), twin?.delivered, twin?.brand],
      ...[twin?.fingerprint, twin?.cardExpiry, twin?.paymentIntent],
    ],
  );
}
