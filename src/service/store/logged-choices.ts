/** What was chosen in cases that are over, and from what: the log by which another policy is judged. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../core/database/database.ts';
import type { LoggedCase, LoggedChoice } from '../policy/compare/evaluate-policy.ts';
import type { TimeChoices } from '../policy/payment-case.ts';

interface ChoiceRow {
  invoiceId: string;
  customerId: string;
  isRecovered: boolean;
  chosenAt: DateTime<true>;
  choices: TimeChoices | null;
}

/** Closed, begun before then, and in the engine's hands to the end; retries without a choice of time are left out. */
export async function listLoggedCases(
  db: Queryable,
  organization: string,
  begunBefore: DateTime,
): Promise<LoggedCase[]> {
  const rows = await db.query<ChoiceRow>(
    `select a.invoice_id, a.customer_id, c.reason = 'invoice_paid' as is_recovered,
            a.ideal_retry_at as chosen_at, a.choices
     from retry_service.cases c
     join retry_service.recovery_actions a on a.organization = c.organization and a.invoice_id = c.invoice_id
     where c.organization = $1 and c.state = 'closed' and c.opened_at <= $2
       and a.suggestion = 'ACTION_SUGGESTION_RETRY'
       and not exists (select from retry_service.recovery_actions other
                       where other.organization = a.organization and other.invoice_id = a.invoice_id
                         and other.suggestion = a.suggestion and other.arm is distinct from 'engine')
     order by a.position`,
    [organization, begunBefore],
  );
  const cases = new Map<string, { customer: string; decisions: LoggedChoice[]; isRecovered: boolean }>();
  for (const { invoiceId, customerId: customer, isRecovered, choices, chosenAt } of rows) {
    if (!choices) continue;
    const { decisions } = cases.get(invoiceId) ?? { decisions: [] as LoggedChoice[] };
    decisions.push({ choices, chosen: chosenAt.toMillis() });
    cases.set(invoiceId, { customer, decisions, isRecovered });
  }
  return [...cases.values()];
}

/** By whom a case was ended first: each rules out the others. */
export const ENDS = ['retry', 'request', 'otherwise', 'canceled', 'given_up'] as const;
export type EndCounts = Readonly<Record<(typeof ENDS)[number], number>>;

/**
 * Of all closed cases that began before then. A payment counts to a retry that it was the answer to, else to a request to the customer
 * that went out before it, else to neither: by the customer unasked, or by Stripe.
 */
export async function countEnds(
  db: Queryable,
  organization: string,
  begunBefore: DateTime,
): Promise<EndCounts> {
  const rows = await db.query<{ end: keyof EndCounts; cases: number }>(
    `select case when c.reason in ('subscription_canceled', 'invoice_not_unpaid', 'sent_to_customer') then 'canceled'
                 when c.reason <> 'invoice_paid' then 'given_up'
                 when a.is_retried then 'retry' when a.is_asked then 'request' else 'otherwise' end as "end",
            count(*) as cases
     from retry_service.cases c
     cross join lateral (
       select bool_or(suggestion = 'ACTION_SUGGESTION_RETRY' and status = 'SUCCEEDED') as is_retried,
              bool_or(suggestion <> 'ACTION_SUGGESTION_RETRY' and status not in ('PENDING', 'CANCELED')) as is_asked
       from retry_service.recovery_actions
       where organization = c.organization and invoice_id = c.invoice_id) a
     where c.organization = $1 and c.state = 'closed' and c.opened_at <= $2
       and c.reason is distinct from 'customer_forgotten'
     group by 1`,
    [organization, begunBefore],
  );
  const none = { retry: 0, request: 0, otherwise: 0, canceled: 0, given_up: 0 };
  return { ...none, ...Object.fromEntries(rows.map(({ end, cases }) => [end, cases])) };
}
