/** Settings that a connected account has saved, one row a mode; its credentials are encrypted for this account and mode. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { PluginError } from '../../../core/base/errors.ts';
import { sealText, unsealText } from '../../../core/base/sealed-text.ts';
import type { Queryable } from '../../../core/database/database.ts';
import type { StripeMode } from '../../settings/account.ts';

export interface SettingsKey {
  readonly account: string;
  readonly mode: StripeMode;
}

export interface StoredSettings {
  businessEntity: string | null;
  /** Encrypted. */
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
) {
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
) {
  await db.query(
    `update payment_retry.account_settings set credentials = $4 where account = $1 and mode = $2 and credentials = $3`,
    [account, mode, credentials, sealed],
  );
}

const accountCredentials = z.object({
  retryServiceApiKey: z.string(),
  recoveryCallbackTokens: z.array(z.string()),
});

/** Both or neither: a service called with the account's key answers with the account's token. */
export type AccountCredentials = Readonly<z.output<typeof accountCredentials>>;

export function sealCredentials(key: string, owner: SettingsKey, credentials: AccountCredentials): string {
  return sealText(key, JSON.stringify(credentials), nameOwner(owner));
}

/** `isCurrent`: encrypted under the first key. Undefined if no key opens it. */
export function unsealCredentials(keys: readonly string[], owner: SettingsKey, sealed: string) {
  const found = unsealText(keys, sealed, nameOwner(owner));
  if (!found) return undefined;
  return {
    credentials: accountCredentials.parse(JSON.parse(found.text)),
    isCurrent: found.place === 0,
  };
}

/** Throws ACCOUNT_SETTINGS_UNREADABLE instead of falling back to another account's key. */
export function readCredentials(
  keys: readonly string[],
  owner: SettingsKey,
  sealed: string,
): AccountCredentials {
  const found = unsealCredentials(keys, owner, sealed);
  if (found) return found.credentials;
  throw new PluginError(
    'ACCOUNT_SETTINGS_UNREADABLE',
    `The service key and callback token that ${owner.account} has set (${owner.mode} mode) do not open with ACCOUNT_SETTINGS_KEY.`,
    {
      help: 'Put back the key that they were saved under, or have the account save them again in the settings of the app.',
    },
  );
}

function nameOwner({ account, mode }: SettingsKey): string {
  return `credentials of ${account} ${mode}`;
}
