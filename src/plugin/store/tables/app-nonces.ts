import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';

/** Much longer than a signature is valid. */
const KEPT_HOURS = 24;

/** False if the account used this nonce before. */
export async function useNonce(
  db: Queryable,
  { account, nonce }: { account: string; nonce: string },
  now: DateTime,
) {
  const before = now.minus({ hours: KEPT_HOURS });
  await db.query(`delete from payment_retry.app_nonces where used_at < $1`, [before]);
  return db.has(
    `insert into payment_retry.app_nonces (account, nonce, used_at) values ($1, $2, $3)
     on conflict (account, nonce) do nothing returning nonce`,
    [account, nonce, now],
  );
}
