/** What the timing policy has learned, and from which answers. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../store/database.ts';

export async function findPolicyState(db: Queryable, organization: string): Promise<string | undefined> {
  const [row] = await db.query<{ state: string }>(
    `select state from retry_service.policy_states where organization = $1 for update`,
    [organization],
  );
  return row?.state;
}

export async function savePolicyState(
  db: Queryable,
  organization: string,
  { state, now }: { state: string; now: DateTime },
): Promise<void> {
  await db.query(
    `insert into retry_service.policy_states (organization, state, updated_at) values ($1, $2, $3)
     on conflict (organization) do update set state = excluded.state, updated_at = excluded.updated_at`,
    [organization, state, now.toISO()],
  );
}

/** Marks answers as learned and returns those that were not yet. */
export async function claimUnlearned(
  db: Queryable,
  organization: string,
  transactionIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `update retry_service.transactions set is_learned = true
     where organization = $1 and id = any($2::text[]) and not is_learned returning id`,
    [organization, transactionIds],
  );
  return rows.map(({ id }) => id);
}

export interface PastAnswer {
  state: string;
  createdAt: Date;
  /** As received. */
  message: string;
}

/** Answers to the payments of a customer's other invoices, the latest ones, oldest first. */
export async function listPastAnswers(
  db: Queryable,
  organization: string,
  about: { customerId: string; invoiceId: string; limit: number },
): Promise<PastAnswer[]> {
  const rows = await db.query<PastAnswer>(
    `select t.state, t.created_at as "createdAt", t.message
     from retry_service.invoices i
     join retry_service.transactions t on t.organization = i.organization and t.invoice_id = i.id
     where i.organization = $1 and i.customer_id = $2 and i.id <> $3
       and t.state in ('TRANSACTION_STATE_PAID', 'TRANSACTION_STATE_FAILED')
     order by t.created_at desc, t.id limit $4`,
    [organization, about.customerId, about.invoiceId, about.limit],
  );
  return rows.reverse();
}
