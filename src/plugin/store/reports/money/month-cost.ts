/** The cost of collecting a month's failed invoices: our charges and emails. */
import type { Queryable } from '../../../../core/database/database.ts';
import type { Span } from './failure-months.ts';

/** More are reported as at least as many. */
export const MOST_COUNTED = 5_000;

export interface MonthCost {
  readonly attempts: number;
  readonly emails: number;
}

export async function readMonthCost(db: Queryable, { from, to }: Span): Promise<MonthCost> {
  const [cost] = await db.query<MonthCost>(
    `select
       (select count(*) from (select from payment_retry.failures f join payment_retry.attempts a using (account, invoice_id)
         where f.failed_at >= $1 and f.failed_at < $2 and a.source = 'ours' and a.attempt_number is not null limit ${MOST_COUNTED}) a)::int as attempts,
       (select count(*) from (select distinct e.account, e.template, e.step from payment_retry.failures f
         join payment_retry.emails e on e.account = f.account and e.named @> array[f.invoice_id] and e.state = 'sent'
         where f.failed_at >= $1 and f.failed_at < $2 limit ${MOST_COUNTED}) e)::int as emails`,
    [from, to],
  );
  return cost ?? { attempts: 0, emails: 0 };
}
