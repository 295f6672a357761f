import type { Queryable } from '../engine/database.ts';

export interface ObservedCount {
  /** `pay` or `email`. */
  kind: string;
  count: number;
  invoices: number;
  firstAt: Date;
  lastAt: Date;
}

/** What `observe` mode would have done, by kind. */
export async function countObserved(db: Queryable): Promise<ObservedCount[]> {
  return db.query<ObservedCount>(
    `select substr(kind, length('observed.') + 1) as kind, count(*) as count, count(distinct invoice_id) as invoices,
            min(at) as first_at, max(at) as last_at
     from payment_retry.audit where starts_with(kind, 'observed.') group by kind order by kind`,
  );
}
