/** Charges of ours on failed invoices, the latest first. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { FailurePage } from './money/failure-order.ts';
import { MOST_COUNTED, type NetSum } from './money/sum-failures.ts';

export interface ListedAttempt {
  readonly id: string;
  readonly account: string;
  readonly invoiceId: string;
  readonly customerId: string | null;
  readonly customerName: string | null;
  readonly customerEmail: string | null;
  readonly startedAt: DateTime<true>;
  readonly attemptNumber: number;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly declineCode: string | null;
}

/** ISO 8601: the invoice failed first at or after, and before. */
export interface AttemptFilter {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly outcome?: string | undefined;
}

const FOUND = `payment_retry.failures f join payment_retry.attempts a using (account, invoice_id)
  where a.source = 'ours' and a.attempt_number is not null
    and ($1::timestamptz is null or f.failed_at >= $1) and ($2::timestamptz is null or f.failed_at < $2)
    and ($3::text is null or a.outcome = $3)`;

export function listAttempts(
  db: Queryable,
  { from, to, outcome }: AttemptFilter,
  page: Omit<FailurePage, 'sort' | 'worth'>,
) {
  return db.query<ListedAttempt>(
    `select a.id, a.account, a.invoice_id, a.customer_id, customer.name as customer_name, customer.email as customer_email, a.started_at,
       a.attempt_number, a.amount, a.currency, a.brand, card.last4, a.outcome, a.code, a.decline_code
     from (select a.* from ${FOUND}
       and ($4::timestamptz is null or (a.started_at, a.id) < ($4, $5::uuid)) order by a.started_at desc, a.id desc limit $6) a
     left join payment_retry.customers customer on customer.account = a.account and customer.id = a.customer_id
     left join payment_retry.cards card on card.account = a.account and card.id = a.payment_method
     order by a.started_at desc, a.id desc`,
    [from, to, outcome, page.after?.key, page.after?.invoiceId, page.limit],
  );
}

export type AttemptSum = Pick<NetSum, 'currency' | 'amount'> & { readonly attempts: number };

/** Paid amounts by currency; `attempts` counts every outcome, `MOST_COUNTED` at most. */
export function sumAttempts(db: Queryable, { from, to, outcome }: AttemptFilter) {
  return db.query<AttemptSum>(
    `select currency, count(*)::int as attempts, coalesce(sum(amount) filter (where outcome = 'paid'), 0)::bigint as amount
     from (select a.currency, a.amount, a.outcome from ${FOUND} limit ${MOST_COUNTED}) a group by 1 order by 2 desc, 1`,
    [from, to, outcome],
  );
}
