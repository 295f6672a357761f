import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { Reason } from '../../../reasons/reason.ts';

export interface NewInstruction {
  account: string;
  requestId: string;
  /** Name of the source. */
  source: string;
  receivedAt: DateTime;
  /** The service's own time; undefined for now, after all others of the invoice. */
  issuedAt?: DateTime | undefined;
  type: string;
  invoiceId: string | undefined;
  subscriptionId: string | undefined;
  suggestion: string | undefined;
  idealRetryAt: DateTime | undefined;
  body: string;
}

export interface StoredInstruction {
  account: string;
  requestId: string;
  type: string;
  invoiceId: string | null;
  subscriptionId: string | null;
  suggestion: string | null;
  idealRetryAt: DateTime<true> | null;
  handledAt: DateTime<true> | null;
  body: string;
}

/** Stores an instruction once; false if its request id is known. */
export function recordInstruction(db: Queryable, instruction: NewInstruction) {
  return db.has(
    `insert into payment_retry.instructions (account, request_id, source, received_at, type, invoice_id,
       subscription_id, suggestion, ideal_retry_at, body, state, issued_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'received',
       coalesce($11::timestamptz, greatest($4::timestamptz, (select max(o.issued_at) from payment_retry.instructions o
         where o.account = $1 and o.invoice_id = $6))))
     on conflict (account, request_id) do nothing
     returning request_id`,
    [
      ...[instruction.account, instruction.requestId, instruction.source, instruction.receivedAt],
      ...[instruction.type, instruction.invoiceId, instruction.subscriptionId, instruction.suggestion],
      ...[instruction.idealRetryAt, instruction.body, instruction.issuedAt],
    ],
  );
}

/** Sorts after all turns of known payers. */
const UNKNOWN_TURN = -1_000;
/** Swept instructions come last: usually their own job is still waiting. */
export const SWEPT_TURN = -2_000;

/** Minus one for each waiting instruction of the same payer, up to a hundred; last without a known invoice. */
export async function findTurn(db: Queryable, account: string, invoiceId: string | undefined) {
  const [row] = await db.query<{ before: number }>(
    `select count(*)::int as before
     from payment_retry.invoices mine cross join lateral (
       select 1 from payment_retry.invoices other
       join payment_retry.instructions waiting
         on waiting.account = other.account and waiting.invoice_id = other.id and waiting.handled_at is null
       where other.account = $1 and other.customer_id = mine.customer_id
         and (other.status = 'open' or other.id = $2)
       limit 101) as payers
     where mine.account = $1 and mine.id = $2`,
    [account, invoiceId],
  );
  // Its own row is waiting, too.
  return row && row.before > 0 ? 1 - row.before : UNKNOWN_TURN;
}

export function findInstruction(db: Queryable, account: string, requestId: string) {
  return db.find<StoredInstruction>(
    `select account, request_id, type, invoice_id, subscription_id,
            suggestion, ideal_retry_at, handled_at, body
     from payment_retry.instructions where account = $1 and request_id = $2`,
    [account, requestId],
  );
}

/** Makes planning of other instructions for the invoice wait for this transaction: all lock the first one. */
export async function lockInstructionsOfInvoice(tx: Queryable, account: string, invoiceId: string) {
  await tx.query(
    `select 1 as one from payment_retry.instructions where account = $1 and invoice_id = $2
     order by position limit 1 for update`,
    [account, invoiceId],
  );
}

/** Whether a later instruction for the invoice is in force. */
export function hasNewerInstruction(db: Queryable, account: string, requestId: string) {
  return db.has(
    `select 1 as one from payment_retry.instructions newer
     join payment_retry.instructions mine
       on mine.account = newer.account and mine.invoice_id = newer.invoice_id
      and (newer.issued_at, newer.position) > (mine.issued_at, mine.position)
     where mine.account = $1 and mine.request_id = $2 and (newer.type = 'stop' or newer.state = 'scheduled') limit 1`,
    [account, requestId],
  );
}

/** Request id of the service's stop, if that was its last instruction for the invoice. */
export async function findStopOfService(db: Queryable, account: string, invoiceId: string) {
  const [last] = await db.query<{ type: string; requestId: string }>(
    `select type, request_id from payment_retry.instructions
     where account = $1 and invoice_id = $2 and (type = 'stop' or state = 'scheduled')
     order by issued_at desc, position desc limit 1`,
    [account, invoiceId],
  );
  return last?.type === 'stop' ? last.requestId : undefined;
}

/** Whether the service ever asked for more than a stop. */
export function wasAskedFor(db: Queryable, account: string, invoiceId: string) {
  return db.has(
    `select 1 as one from payment_retry.instructions
     where account = $1 and invoice_id = $2 and type = 'suggestion' limit 1`,
    [account, invoiceId],
  );
}

/** Sets the outcome of an instruction once. Returns its source, or undefined if it was set before. */
export function settleInstruction(
  db: Queryable,
  key: { account: string; requestId: string },
  outcome: { state: string; reason: Reason },
  now: DateTime,
) {
  return db.findValue<string>(
    `update payment_retry.instructions set state = $3, reason = $4::jsonb, handled_at = $5
     where account = $1 and request_id = $2 and handled_at is null returning source`,
    [key.account, key.requestId, outcome.state, JSON.stringify(outcome.reason), now],
  );
}

/** Recorded before `before` and not planned yet: their jobs may have been lost with a process. */
export function listUnhandledInstructions(db: Queryable, before: DateTime, limit: number) {
  return db.query<{ account: string; requestId: string }>(
    `select account, request_id from payment_retry.instructions
     where handled_at is null and received_at <= $1
     order by row_number() over (partition by account order by received_at), received_at limit $2`,
    [before, limit],
  );
}

/** Ids of all requests of the service. */
export function listRequestIds(db: Queryable, account: string) {
  return db.listValues<string>(
    `select request_id as id from payment_retry.instructions where account = $1 order by position`,
    [account],
  );
}

export interface UnknownInvoices {
  account: string;
  /** Instructions of the last hour for invoices unknown to Stripe. */
  refused: number;
  waiting: number;
}

/** A few are normal; this many are a fault of the service, or of a person with its token. */
const MANY_UNKNOWN = 100;

export function listUnknownInvoices(db: Queryable, now: DateTime) {
  return db.query<UnknownInvoices>(
    `select account, count(*) as refused,
       (select count(*) from payment_retry.instructions w where w.handled_at is null and w.account = i.account) as waiting
     from payment_retry.instructions i
     where state = 'refused' and reason->>'code' = 'invoice_unknown' and handled_at > $1::timestamptz - interval '1 hour'
     group by account having count(*) >= ${MANY_UNKNOWN} order by account`,
    [now],
  );
}

export interface FailedInstruction {
  account: string;
  requestId: string;
  invoiceId: string | null;
  reason: Reason | null;
}

/** Failed to be planned, and still relevant: no newer instruction, and the invoice is open. */
export function listFailedInstructions(db: Queryable) {
  return db.query<FailedInstruction>(
    `select f.account, f.request_id, f.invoice_id, f.reason
     from payment_retry.instructions f
     where f.state = 'failed'
       and not exists (select 1 from payment_retry.instructions newer where newer.account = f.account
         and newer.invoice_id = f.invoice_id
         and (newer.issued_at, newer.position) > (f.issued_at, f.position) and newer.state not in ('failed', 'received'))
       and not exists (select 1 from payment_retry.invoices i where i.account = f.account and i.id = f.invoice_id
         and i.status in ('paid', 'void', 'uncollectible'))
     order by f.position`,
  );
}

/** Resets failed instructions, so that the next sweep gives each a new job; all without `ids`. */
export function replayFailedInstructions(db: Queryable, ids?: readonly string[]) {
  return db.listValues<string>(
    `update payment_retry.instructions set state = 'received', reason = null, handled_at = null,
       reported = case when reported is not null then 'postponed' end
     where state = 'failed' and ($1::text[] is null or request_id = any($1::text[]))
     returning request_id as id`,
    [ids],
  );
}
