/** Credentials that a connected account has saved, encrypted for this account and mode. */
import { z } from 'zod';
import { PluginError } from '../../../core/base/errors.ts';
import { sealText, unsealText } from '../../../core/base/sealed-text.ts';
import type { SettingsKey } from './account-settings.ts';

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
export function unsealCredentials(
  keys: readonly string[],
  owner: SettingsKey,
  sealed: string,
): { readonly credentials: AccountCredentials; readonly isCurrent: boolean } | undefined {
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
