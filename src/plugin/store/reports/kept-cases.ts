/** The embedded service's latest decision on each failed invoice and counts of callbacks, kept for times when it cannot be asked. */
import type { DateTime } from 'luxon';
import { callbackCounts, type RecoveryCase } from '../../../core/contract/recovery-cases.ts';
import type { Queryable } from '../../../core/database/database.ts';
import { setTo } from '../../../core/database/rows.ts';
import { keptJson } from '../tables/sync/cursors.ts';
import { describeGiven } from '../tables/sync/mirrors.ts';

export const keptCallbacks = keptJson('callbacks', callbackCounts);

export async function listKeptCallbacks(db: Queryable) {
  const kept = await keptCallbacks.list(db);
  return kept.map(({ account, updatedAt: readAt, value: report }) => ({ account, readAt, report }));
}

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
export function findLastRevision(db: Queryable, account: string) {
  return db.getValue<number>(
    `select coalesce(max(revision), 0) as revision from payment_retry.recovery_cases where account = $1`,
    [account],
  );
}

const CASES = describeGiven({
  invoiceId: 'text',
  revision: 'bigint',
  state: 'text',
  reason: 'text',
  reasons: 'text',
  reviewAt: 'timestamptz',
  isOnStaticSchedule: 'boolean',
  drawnPercent: 'int',
  openedAt: 'timestamptz',
  updatedAt: 'timestamptz',
});

/** Stores decisions unless a newer one is stored. No invoice may occur twice. Returns the ids of changed invoices. */
export function keepRecoveryCases(db: Queryable, account: string, cases: readonly RecoveryCase[]) {
  const { given, give, columns } = CASES;
  const rows = cases.map((one) => ({ ...one, reasons: one.reasons.join('\n') }));
  // Sorted, so that two processes that read the same page lock its rows in one order.
  return db.listValues<string>(
    `insert into payment_retry.recovery_cases as kept (account, ${columns.join(', ')})
     select $1, given.* from (${given}) as given order by invoice_id
     on conflict (account, invoice_id) do update set ${setTo(columns)} where kept.revision < excluded.revision
     returning invoice_id`,
    [account, give(rows)],
  );
}

/** Deletes decisions of the previous service once another one decides. */
export async function forgetRecoveryCases(db: Queryable, account: string) {
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
