/** Payments watched by Stripe's retry signal, and its results (RETRY_SIGNAL). */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { Reason } from '../../../reasons/reason.ts';
import type { InvoiceKey } from './takeovers.ts';

export interface WatchedPayment extends InvoiceKey {
  paymentIntent: string;
  /** Null if Stripe made none. */
  evaluationId: string | null;
  status: string;
  /** Why it is not watched. */
  reason: Reason | null;
  /** Stripe's last signal. */
  signalId: string | null;
  action: string | null;
  because: string | null;
  signalAt: DateTime<true> | null;
  lookedAt: DateTime<true>;
}

const FIELDS = `payment_intent, evaluation_id, status, reason, signal_id, action, because, signal_at, looked_at`;

export function findWatched(db: Queryable, key: InvoiceKey) {
  return db.find<WatchedPayment>(
    `select account, invoice_id, ${FIELDS} from payment_retry.signals where account = $1 and invoice_id = $2`,
    [key.account, key.invoiceId],
  );
}

export async function keepWatched(db: Queryable, watched: Omit<WatchedPayment, 'lookedAt'>, now: DateTime) {
  const { account, invoiceId, paymentIntent, evaluationId, status, reason } = watched;
  const { signalId, action, because, signalAt } = watched;
  await db.query(
    `insert into payment_retry.signals (account, invoice_id, ${FIELDS})
     values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10, $11)
     on conflict (account, invoice_id) do update set (${FIELDS}) = (${FIELDS.replaceAll(/\w+/g, 'excluded.$&')})`,
    [
      ...[account, invoiceId, paymentIntent, evaluationId, status, reason && JSON.stringify(reason)],
      ...[signalId, action, because, signalAt, now],
    ],
  );
}

/** The invoice of an event's payment. An evaluation requested by another party is adopted at its first event. */
export function adoptEvaluation(
  db: Queryable,
  account: string,
  { evaluationId, paymentIntent }: { evaluationId: string; paymentIntent: string | undefined },
) {
  return db.find<InvoiceKey>(
    `update payment_retry.signals set evaluation_id = $2, status = case status when 'refused' then 'monitoring' else status end
     where account = $1 and (evaluation_id = $2 or status = 'refused' and payment_intent = $3) returning account, invoice_id`,
    [account, evaluationId, paymentIntent],
  );
}

export interface WithoutSignal {
  account: string;
  reason: Reason | null;
  lookedAt: DateTime<true>;
}

/** Accounts without access to the preview at the last request. */
export async function listWithoutSignal(db: Queryable, since?: DateTime): Promise<WithoutSignal[]> {
  const rows = await db.query<WithoutSignal & { status: string }>(
    `select distinct on (account) account, status, reason, looked_at from payment_retry.signals
     where looked_at > coalesce($1::timestamptz, '-infinity') order by account, looked_at desc, invoice_id`,
    [since],
  );
  return rows.flatMap(({ status, ...row }) => (status === 'unavailable' ? [row] : []));
}

/** Invoices due for a request to Stripe: hourly while it watches the payment, else daily. */
export function listUnsignaled(
  db: Queryable,
  { before, isOn }: { before: DateTime; isOn: boolean },
  limit: number,
) {
  return db.query<InvoiceKey>(
    `select t.account, t.invoice_id from payment_retry.takeovers t
     join payment_retry.invoices i on i.account = t.account and i.id = t.invoice_id
     left join payment_retry.signals s on s.account = t.account and s.invoice_id = t.invoice_id
     where case when s.status = 'monitoring' then not $2 or s.looked_at <= $1::timestamptz - interval '1 hour'
         else $2 and i.status = 'open' and t.handed_back_at is null and t.taken_over_at <= $1
           and coalesce(s.looked_at <= $1::timestamptz - interval '1 day', true) end
       and not exists (select 1 from payment_retry.pauses p where p.account in (t.account, '*'))
     order by s.looked_at nulls first, t.taken_over_at limit $3`,
    [before, isOn, limit],
  );
}
