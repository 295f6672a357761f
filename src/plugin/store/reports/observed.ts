import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';

export interface ObservedCount {
  /** `pay` or `email`. */
  kind: string;
  count: number;
  invoices: number;
  firstAt: DateTime<true>;
  lastAt: DateTime<true>;
}

/** Payments and emails that `observe` mode left out, by kind. */
export function countObserved(db: Queryable) {
  return db.query<ObservedCount>(
    `select substr(kind, length('observed.') + 1) as kind, count(*) as count, count(distinct coalesce(invoice_id, subscription_id)) as invoices,
            min(at) as first_at, max(at) as last_at
     from payment_retry.audit where starts_with(kind, 'observed.') group by kind order by kind`,
  );
}

export interface ObservedSum {
  currency: string;
  /** Minor units. */
  amount: number;
}

export interface Observed {
  readonly counts: readonly ObservedCount[];
  /** Charges left out: each invoice once, with its last outstanding amount. */
  readonly sums: readonly ObservedSum[];
}

export async function readObserved(db: Queryable): Promise<Observed> {
  const counts = await countObserved(db);
  const sums = await db.query<ObservedSum>(
    `select currency, sum(amount)::bigint as amount
     from (select distinct on (invoice_id) detail ->> 'currency' as currency, (detail ->> 'amount')::bigint as amount
           from payment_retry.audit where starts_with(kind, 'observed.') and kind = 'observed.pay'
           order by invoice_id, at desc) as latest
     where currency is not null group by currency order by currency`,
  );
  return { counts, sums };
}
