/** Each connected account's own settings over the common ones. Read for each use: another process may have saved them. */

import type { Logger } from '../../core/base/logger.ts';
import type { Database } from '../../core/database/database.ts';
import { nameMode, OWN_ACCOUNT } from '../settings/account.ts';
import type { AccessOf, Accounts } from '../settings/accounts.ts';
import type { Config } from '../settings/config.ts';
import {
  findAccountSettings,
  listSealedCredentials,
  readCredentials,
  replaceSealed,
  sealCredentials,
  unsealCredentials,
} from '../store/tables/account-settings.ts';

interface AccessDeps {
  readonly config: Pick<Config, 'livemode' | 'service' | 'accountSettingsKeys'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly database: Database;
}

/** Rejects with ACCOUNT_SETTINGS_UNREADABLE, for the account concerned. */
export function createAccessReader({ config, accounts, database }: AccessDeps): AccessOf {
  const mode = nameMode(config.livemode);
  return async (account) => {
    const access = accounts.find(account);
    if (!access || account === OWN_ACCOUNT || config.service.kind === 'embedded') return access;
    const sealed = (await findAccountSettings(database, { account, mode }))?.credentials ?? null;
    if (sealed === null) return access;
    const own = readCredentials(config.accountSettingsKeys, { account, mode }, sealed);
    return {
      ...access,
      service: { ...access.service, apiKey: own.retryServiceApiKey },
      callback: { tokens: own.recoveryCallbackTokens, basic: undefined },
    };
  };
}

/** Undefined where Stripe is to be asked for the account's name. */
export function createNameReader({
  config,
  accounts,
  database,
}: AccessDeps): (account: string) => Promise<string | undefined> {
  const mode = nameMode(config.livemode);
  return async (account) => {
    const own = account === OWN_ACCOUNT ? undefined : await findAccountSettings(database, { account, mode });
    return own?.businessEntity ?? accounts.find(account)?.businessEntity;
  };
}

/** Re-encrypts credentials under the first key at a start, and reports those that no key opens. */
export async function renewCredentials({
  config: { accountSettingsKeys: keys },
  database,
  logger,
}: Omit<AccessDeps, 'accounts'> & { readonly logger: Logger }): Promise<void> {
  const [current] = keys;
  let renewed = 0;
  for (const row of await listSealedCredentials(database)) {
    const { account, mode } = row;
    const found = unsealCredentials(keys, row, row.credentials);
    if (!found || current === undefined) {
      const help = 'put back the key that they were saved under, or have the account save them again';
      logger.error(
        { account, mode, code: 'ACCOUNT_SETTINGS_UNREADABLE' },
        `the credentials of an account do not open with ACCOUNT_SETTINGS_KEY; nothing is sent or taken for it: ${help}`,
      );
    } else if (!found.isCurrent) {
      await replaceSealed(database, row, sealCredentials(current, row, found.credentials));
      renewed += 1;
    }
  }
  if (renewed > 0)
    logger.info(
      { renewed },
      'credentials of accounts are now under the first of the keys in ACCOUNT_SETTINGS_KEY',
    );
}
