import type { Queryable } from '../../../core/database/database.ts';
import { type Reason, readReason } from '../../reasons/reason.ts';

/** Work that waits until Stripe accepts our key for it. */
export interface AccessRefused {
  account: string;
  what: 'action' | 'event';
  count: number;
  /** Stripe's answer for one of them. */
  reason: Reason;
}

/** Counts waiting work by account, kind and missing permission. */
export async function countAccessRefused(db: Queryable): Promise<AccessRefused[]> {
  const rows = await db.query<Omit<AccessRefused, 'reason'> & { reason: unknown }>(
    `select account, what, count(*) as count, max(reason::text)::jsonb as reason from (
       select account, 'action' as what, reason from payment_retry.actions
       where state = 'scheduled' and reason->>'code' = 'access_refused'
       union all
       select account, 'event' as what, results->0 as reason from payment_retry.events
       where processed_at is null and results->0->>'code' = 'access_refused') as waiting
     group by account, what, reason->>'permission' order by account, what, reason->>'permission'`,
  );
  return rows.map((row) => ({ ...row, reason: readReason(row.reason) }));
}
