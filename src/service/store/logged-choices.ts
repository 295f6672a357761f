/** What was chosen in cases that are over, and from what: the log by which another policy is judged. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../store/engine/database.ts';
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
