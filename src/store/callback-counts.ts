/** How the embedded service's callbacks stood when it was last asked, kept for when nobody can ask it. */
import type { DateTime } from 'luxon';
import { type CallbackCounts, callbackCounts } from '../recovery-cases.ts';
import { setCursor } from './cursors.ts';
import type { Queryable } from './database.ts';

const NAME = 'callbacks';

export interface KeptCallbackCounts extends CallbackCounts {
  account: string;
  readAt: Date;
}

export async function keepCallbackCounts(
  db: Queryable,
  account: string,
  counts: CallbackCounts,
  now: DateTime,
): Promise<void> {
  await setCursor(db, { account, name: NAME, value: JSON.stringify(counts) }, now);
}

export async function forgetCallbackCounts(db: Queryable, account: string): Promise<void> {
  await db.query(`delete from payment_retry.cursors where account = $1 and name = $2`, [account, NAME]);
}

/** One that an older version wrote otherwise is left out. */
export async function listCallbackCounts(db: Queryable): Promise<KeptCallbackCounts[]> {
  const rows = await db.query<{ account: string; value: string; readAt: Date }>(
    `select account, value, updated_at as "readAt" from payment_retry.cursors where name = $1 order by account`,
    [NAME],
  );
  return rows.flatMap(({ account, value, readAt }) => {
    const parsed = callbackCounts.safeParse(JSON.parse(value));
    return parsed.success ? [{ account, readAt, ...parsed.data }] : [];
  });
}
