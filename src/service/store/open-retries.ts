import type { Queryable } from '../../core/database/database.ts';
import type { OpenRetry } from '../policy/learning/expect-money.ts';

/** Retries with odds that are asked for and have no outcome yet. A message is read without its escapes: PostgreSQL refuses that of a zero. */
export function listOpenRetries(db: Queryable, organization: string): Promise<OpenRetry[]> {
  return db.query<OpenRetry>(
    `select a.customer_id as customer, lower(i.currency) as currency, a.odds,
            (regexp_replace(i.message, '\\\\.', '', 'g')::json ->> 'amount')::float8 as amount
     from retry_service.recovery_actions a
     join retry_service.invoices i on i.organization = a.organization and i.id = a.invoice_id
     where a.organization = $1 and a.status in ('PENDING', 'SENT') and a.odds is not null
       and i.state = 'INVOICE_STATE_UNPAID'`,
    [organization],
  );
}
