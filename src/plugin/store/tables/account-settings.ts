/** Settings that a connected account has saved, one row a mode. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { StripeMode } from '../../settings/account.ts';

export interface SettingsKey {
  readonly account: string;
  readonly mode: StripeMode;
}

export interface StoredSettings {
  businessEntity: string | null;
  /** Encrypted (`account-credentials.ts`). */
  credentials: string | null;
  savedAt: DateTime<true>;
}

export function findAccountSettings(db: Queryable, { account, mode }: SettingsKey) {
  return db.find<StoredSettings>(
    `select business_entity, credentials, saved_at from payment_retry.account_settings where account = $1 and mode = $2`,
    [account, mode],
  );
}

export async function saveAccountSettings(
  tx: Queryable,
  { account, mode }: SettingsKey,
  { businessEntity, credentials }: Omit<StoredSettings, 'savedAt'>,
  now: DateTime,
): Promise<void> {
  await tx.query(
    `insert into payment_retry.account_settings (account, mode, business_entity, credentials, saved_at)
     values ($1, $2, $3, $4, $5)
     on conflict (account, mode) do update
       set business_entity = excluded.business_entity, credentials = excluded.credentials, saved_at = excluded.saved_at`,
    [account, mode, businessEntity, credentials, now],
  );
}

/** Deletes settings saved up to `before`, or all. Returns whether there were any. */
export function deleteAccountSettings(
  tx: Queryable,
  { account, mode }: SettingsKey,
  before: DateTime | undefined,
) {
  return tx.has(
    `delete from payment_retry.account_settings
     where account = $1 and mode = $2 and ($3::timestamptz is null or saved_at <= $3) returning 1 as one`,
    [account, mode, before],
  );
}

export interface SealedCredentials extends SettingsKey {
  readonly credentials: string;
}

export function listSealedCredentials(db: Queryable) {
  return db.query<SealedCredentials>(
    `select account, mode, credentials from payment_retry.account_settings where credentials is not null order by account, mode`,
  );
}

/** Does nothing if other credentials were saved meanwhile. */
export async function replaceSealed(
  db: Queryable,
  { account, mode, credentials }: SealedCredentials,
  sealed: string,
): Promise<void> {
  await db.query(
    `update payment_retry.account_settings set credentials = $4 where account = $1 and mode = $2 and credentials = $3`,
    [account, mode, credentials, sealed],
  );
}
