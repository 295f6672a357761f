/** Results of a customer's cards by fingerprint, the last used first. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';

export interface CustomerCard {
  readonly methodType: string | null;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly lastAt: DateTime<true>;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly declineCode: string | null;
  readonly adviceCode: string | null;
  readonly networkCode: string | null;
  readonly networkAdvice: string | null;
  /** Counted from `since`. */
  readonly attempts: number;
}

export function listCustomerCards(
  db: Queryable,
  { account, customerId, since }: { account: string; customerId: string; since: DateTime },
) {
  return db.query<CustomerCard>(
    // Joins through the customer's invoices: attempts have no index by customer.
    `select last.*, cards.last4
     from (select distinct on (attempts.fingerprint) attempts.payment_method, attempts.method_type, attempts.brand,
             attempts.started_at as last_at, attempts.outcome, attempts.code, attempts.decline_code,
             attempts.advice_code, attempts.network_code, attempts.network_advice,
             count(*) filter (where attempts.started_at >= $3) over (partition by attempts.fingerprint) as attempts
           from payment_retry.invoices
           join payment_retry.attempts on attempts.account = invoices.account and attempts.invoice_id = invoices.id
           where invoices.account = $1 and invoices.customer_id = $2 and attempts.fingerprint is not null
           order by attempts.fingerprint, attempts.started_at desc) last
     left join payment_retry.cards on cards.account = $1 and cards.id = last.payment_method
     order by last.last_at desc limit 10`,
    [account, customerId, since],
  );
}
