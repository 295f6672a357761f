/** What the timing policy has learned, and from which answers. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../core/database/database.ts';

/** Held for this transaction, which may save another. */
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
    [organization, state, now],
  );
}

/** To look at only; undefined before anything was learned. */
export async function readPolicyState(db: Queryable, organization: string): Promise<string | undefined> {
  const [row] = await db.query<{ state: string }>(
    `select state from retry_service.policy_states where organization = $1`,
    [organization],
  );
  return row?.state;
}

/** Marks answers as learned and returns those that were not yet. Sorted by id, as an ingest writes them: no deadlock. */
export async function claimUnlearned(
  db: Queryable,
  organization: string,
  transactionIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `update retry_service.transactions set is_learned = true
     where organization = $1 and id in (
       select id from retry_service.transactions
       where organization = $1 and id = any($2::text[]) and not is_learned order by id for update)
     returning id`,
    [organization, transactionIds],
  );
  return rows.map(({ id }) => id);
}
