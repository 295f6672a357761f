/** The embedded service's latest decision on each failed invoice, kept for times when it cannot be asked. */
import type { DateTime } from 'luxon';
import type { RecoveryCase } from '../../../core/contract/recovery-cases.ts';
import type { Queryable } from '../../../core/database/database.ts';

export interface KeptCase {
  state: RecoveryCase['state'];
  reason: string;
  reasons: string[];
  reviewAt: DateTime<true> | null;
  isOnStaticSchedule: boolean;
  openedAt: DateTime<true>;
  updatedAt: DateTime<true>;
}

/** Revision up to which all decisions were read; 0 before the first. */
export async function findLastRevision(db: Queryable, account: string): Promise<number> {
  const [row] = await db.query<{ revision: number | null }>(
    `select max(revision) as revision from payment_retry.recovery_cases where account = $1`,
    [account],
  );
  return row?.revision ?? 0;
}

/** Stores decisions unless a newer one is stored. No invoice may occur twice. Returns the ids of changed invoices. */
export function keepRecoveryCases(db: Queryable, account: string, cases: readonly RecoveryCase[]) {
  // Sorted, so that two processes that read the same page lock its rows in one order.
  const sorted = [...cases].sort((a, b) => (a.invoiceId < b.invoiceId ? -1 : 1));
  const column = <Name extends keyof RecoveryCase>(name: Name) => sorted.map((one) => one[name] ?? null);
  return db.listValues<string>(
    `insert into payment_retry.recovery_cases as kept (account, invoice_id, revision, state, reason, reasons, review_at,
       is_on_static_schedule, drawn_percent, opened_at, updated_at)
     select $1, c.* from unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::timestamptz[],
       $8::boolean[], $9::int[], $10::timestamptz[], $11::timestamptz[]) as c
     on conflict (account, invoice_id) do update set
       revision = excluded.revision, state = excluded.state, reason = excluded.reason, reasons = excluded.reasons,
       review_at = excluded.review_at, is_on_static_schedule = excluded.is_on_static_schedule, drawn_percent = excluded.drawn_percent,
       opened_at = excluded.opened_at, updated_at = excluded.updated_at
     where kept.revision < excluded.revision
     returning invoice_id`,
    [
      account,
      column('invoiceId'),
      column('revision'),
      column('state'),
      column('reason'),
      sorted.map(({ reasons }) => reasons.join('\n')),
      column('reviewAt'),
      column('isOnStaticSchedule'),
      column('drawnPercent'),
      column('openedAt'),
      column('updatedAt'),
    ],
  );
}

/** Deletes decisions of the previous service once another one decides. */
export async function forgetRecoveryCases(db: Queryable, account: string): Promise<void> {
  await db.query(`delete from payment_retry.recovery_cases where account = $1`, [account]);
}

export async function findRecoveryCase(
  db: Queryable,
  invoiceId: string,
  account?: string,
): Promise<KeptCase | undefined> {
  const [row] = await db.query<Omit<KeptCase, 'reasons'> & { reasons: string }>(
    `select state, reason, reasons, review_at, is_on_static_schedule,
            opened_at, updated_at
     from payment_retry.recovery_cases where invoice_id = $1 and ($2::text is null or account = $2)`,
    [invoiceId, account],
  );
  return row && { ...row, reasons: row.reasons === '' ? [] : row.reasons.split('\n') };
}
