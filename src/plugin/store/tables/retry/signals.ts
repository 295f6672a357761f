/** What Stripe's retry signal watches for us, and what it said (RETRY_SIGNAL). */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { type Reason, withReason } from '../../../reasons/reason.ts';
import type { InvoiceKey } from './takeovers.ts';

export interface WatchedPayment extends InvoiceKey {
  paymentIntent: string;
  /** Null where Stripe made none. */
  evaluationId: string | null;
  /** `monitoring` while Stripe watches it. */
  status: string;
  /** Why it is not watched. */
  reason: Reason | null;
  /** What Stripe said last. */
  signalId: string | null;
  action: string | null;
  because: string | null;
  signalAt: DateTime<true> | null;
  lookedAt: DateTime<true>;
}

const COLUMNS =
  'account, invoice_id, payment_intent, evaluation_id, status, reason, signal_id, action, because, signal_at, looked_at';

export async function findWatched(db: Queryable, key: InvoiceKey): Promise<WatchedPayment | undefined> {
  const [row] = await db.query<WatchedPayment>(
    `select ${COLUMNS} from payment_retry.signals where account = $1 and invoice_id = $2`,
    [key.account, key.invoiceId],
  );
  return row && withReason(row);
}

export async function keepWatched(
  db: Queryable,
  watched: Omit<WatchedPayment, 'lookedAt'>,
  now: DateTime,
): Promise<void> {
  await db.query(
    `insert into payment_retry.signals (${COLUMNS}) values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10, $11)
     on conflict (account, invoice_id) do update set payment_intent = excluded.payment_intent,
       evaluation_id = excluded.evaluation_id, status = excluded.status, reason = excluded.reason,
       signal_id = excluded.signal_id, action = excluded.action, because = excluded.because,
       signal_at = excluded.signal_at, looked_at = excluded.looked_at`,
    [
      ...[watched.account, watched.invoiceId, watched.paymentIntent, watched.evaluationId, watched.status],
      ...[watched.reason && JSON.stringify(watched.reason), watched.signalId, watched.action],
      ...[watched.because, watched.signalAt, now],
    ],
  );
}

/** Whose payment an event is about, by its evaluation, or by the payment where another asked for that; it is watched from now on. */
export async function adoptEvaluation(
  db: Queryable,
  account: string,
  { evaluationId, paymentIntent }: { evaluationId: string; paymentIntent: string | undefined },
): Promise<InvoiceKey | undefined> {
  const [row] = await db.query<InvoiceKey>(
    `update payment_retry.signals set evaluation_id = $2,
       status = case when evaluation_id is null then 'monitoring' else status end
     where account = $1 and (evaluation_id = $2 or evaluation_id is null and status = 'refused' and payment_intent = $3)
     returning account, invoice_id`,
    [account, evaluationId, paymentIntent ?? null],
  );
  return row;
}

export interface WithoutSignal {
  account: string;
  reason: Reason | null;
  lookedAt: DateTime<true>;
}

/** Where the preview was not open when it was last asked for. */
export async function listWithoutSignal(db: Queryable): Promise<WithoutSignal[]> {
  const rows = await db.query<WithoutSignal & { status: string }>(
    `select distinct on (account) account, status, reason, looked_at from payment_retry.signals
     order by account, looked_at desc, invoice_id`,
  );
  return rows.flatMap(({ status, ...row }) => (status === 'unavailable' ? [withReason(row)] : []));
}

/** How often Stripe is asked without an event, and an account without access anew. */
const LOOK = `interval '1 hour'`;
const ASK_AGAIN = `interval '1 day'`;

/** Since it was looked at a person said something, or a payment of ours ended. */
const HAS_NEWS = `(
  exists (select 1 from payment_retry.attempts a where a.account = t.account and a.invoice_id = t.invoice_id
    and a.finished_at >= s.looked_at)
  or exists (select 1 from payment_retry.holds h where h.account = t.account and h.invoice_id = t.invoice_id
    and greatest(h.held_at, h.released_at) >= s.looked_at))`;

/** It is not ours to collect any more, as far as it is stored. */
const IS_OVER = `(i.status <> 'open' or t.handed_back_at is not null or exists (select 1 from payment_retry.subscriptions c
  where c.account = i.account and c.id = i.subscription_id and c.status in ('canceled', 'incomplete_expired')))`;

/** What was given up may be asked for again. */
const IS_ASKED = `exists (select 1 from payment_retry.instructions n where n.account = t.account and n.invoice_id = t.invoice_id
  and n.source <> 'signal' and n.received_at > s.looked_at)`;

/**
 * Invoices of `exclusive` mode about which Stripe's signal has to be asked or told something: not watched yet, not looked at for an
 * hour, changed since, or settled. Of an account that has no part in the preview one a day. Nothing while effects are paused.
 */
export async function listUnsignaled(
  db: Queryable,
  { before, isOn }: { before: DateTime; isOn: boolean },
  limit: number,
): Promise<InvoiceKey[]> {
  return db.query<InvoiceKey>(
    `select account, invoice_id from (
       select t.account, t.invoice_id, s.looked_at, t.taken_over_at from payment_retry.signals s
       join payment_retry.takeovers t on t.account = s.account and t.invoice_id = s.invoice_id
       join payment_retry.invoices i on i.account = s.account and i.id = s.invoice_id
       where s.status = 'monitoring'
         and (not $2 or ${IS_OVER} or s.looked_at <= $1::timestamptz - ${LOOK} or ${HAS_NEWS})
       union all
       select t.account, t.invoice_id, s.looked_at, t.taken_over_at from payment_retry.takeovers t
       join payment_retry.invoices i on i.account = t.account and i.id = t.invoice_id and i.status = 'open'
       left join payment_retry.signals s on s.account = t.account and s.invoice_id = t.invoice_id
       where $2 and t.handed_back_at is null and t.taken_over_at <= $1 and not ${IS_OVER}
         and s.status is distinct from 'monitoring'
         and (s.status is null or s.looked_at <= $1::timestamptz - ${ASK_AGAIN} and s.status in ('unavailable', 'passed')
           or ${HAS_NEWS} or ${IS_ASKED})
         and not exists (select 1 from payment_retry.signals u where u.account = t.account and u.status = 'unavailable'
           and u.looked_at > $1::timestamptz - ${ASK_AGAIN})) as due
     where not exists (select 1 from payment_retry.pauses p where p.account in (due.account, '*'))
     order by looked_at nulls first, taken_over_at limit $3`,
    [before, isOn, limit],
  );
}

/** Whether the account was refused within a day: for how many failed invoices does not matter. */
export async function isWithoutSignal(db: Queryable, account: string, now: DateTime): Promise<boolean> {
  const rows = await db.query(
    `select 1 as one from payment_retry.signals where account = $1 and status = 'unavailable'
       and looked_at > $2::timestamptz - ${ASK_AGAIN} limit 1`,
    [account, now],
  );
  return rows.length > 0;
}
