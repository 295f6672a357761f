import type { Queryable } from '../../../core/database/database.ts';
import { type Reason, readReason } from '../../reasons/reason.ts';

/** What waits until Stripe takes our key for it. */
export interface AccessRefused {
  account: string;
  what: 'action' | 'event';
  count: number;
  /** What Stripe said of one of them. */
  reason: Reason;
}

/** By account, kind of work and missing permission. */
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
