/** What a connected account sets for itself: its name before its customers, and how it and its retry service know each other. */
import { z } from 'zod';
import { oneLine } from '../../../core/contract/contract-fields.ts';
import type { Transaction } from '../../../core/database/database.ts';
import { nameMode } from '../../settings/account.ts';
import { createAccounts } from '../../settings/accounts.ts';
import type { Config } from '../../settings/config.ts';
import { chosenSecrets, isCredential, splitSecrets } from '../../settings/schema/setting-kinds.ts';
import {
  type AccountCredentials,
  findAccountSettings,
  type SettingsKey,
  type StoredSettings,
  saveAccountSettings,
  sealCredentials,
  unsealCredentials,
} from '../../store/tables/account-settings.ts';
import { lockActiveAccount } from '../../store/tables/stored-accounts.ts';
import { defineOperation, recordOperation, result, stripeId } from './operation.ts';

const parameters = z.object({
  account: stripeId.describe('The connected account (acct_…).'),
  businessEntity: oneLine(200)
    .nullable()
    .optional()
    .describe('Its name before its customers; null: as the settings or Stripe name it.'),
  credentials: z
    .strictObject({
      retryServiceApiKey: z
        .string()
        .trim()
        .max(1_000)
        .refine(isCredential, 'must be printable characters without spaces')
        .optional(),
      recoveryCallbackToken: chosenSecrets(2)
        .max(1_000)
        .optional()
        .describe('What the service calls back with; two with a comma while rotating.'),
    })
    .nullable()
    .optional()
    .describe('What is left out stays; null: those of the settings.'),
});
type Parameters = z.output<typeof parameters>;

/** Names of what has changed. */
const changed = z.array(z.enum(['businessEntity', 'retryServiceApiKey', 'recoveryCallbackToken']));
const account = z.string();

type Refusal = 'credentials_not_kept' | 'service_embedded' | 'credentials_incomplete' | 'token_taken';

type Change = {
  readonly stored: Omit<StoredSettings, 'savedAt'>;
  readonly names: z.output<typeof changed>;
};

/** The settings to store with the names of changed ones, or why they are refused. */
async function planChange(
  tx: Transaction,
  config: Config,
  key: SettingsKey,
  given: Parameters,
): Promise<Change | Refusal> {
  const known = await findAccountSettings(tx, key);
  const names: Change['names'] = [];
  const businessEntity =
    given.businessEntity === undefined ? (known?.businessEntity ?? null) : given.businessEntity;
  if (businessEntity !== (known?.businessEntity ?? null)) names.push('businessEntity');
  const sealed = known?.credentials ?? null;
  if (given.credentials === undefined) return { stored: { businessEntity, credentials: sealed }, names };
  if (given.credentials === null) {
    if (sealed !== null) names.push('retryServiceApiKey', 'recoveryCallbackToken');
    return { stored: { businessEntity, credentials: null }, names };
  }
  const before =
    sealed === null ? undefined : unsealCredentials(config.accountSettingsKeys, key, sealed)?.credentials;
  const credentials = merge(before, given.credentials);
  const refusal = findRefusal(config, key.account, credentials);
  if (refusal !== undefined) return refusal;
  const [current] = config.accountSettingsKeys;
  if (current === undefined || !isWhole(credentials)) return 'credentials_not_kept';
  if (credentials.retryServiceApiKey !== before?.retryServiceApiKey) names.push('retryServiceApiKey');
  if (credentials.recoveryCallbackTokens.join() !== before?.recoveryCallbackTokens.join())
    names.push('recoveryCallbackToken');
  return { stored: { businessEntity, credentials: sealCredentials(current, key, credentials) }, names };
}

function merge(
  before: AccountCredentials | undefined,
  { retryServiceApiKey, recoveryCallbackToken }: NonNullable<Parameters['credentials']>,
): Partial<AccountCredentials> {
  return {
    ...before,
    ...(retryServiceApiKey ? { retryServiceApiKey } : {}),
    ...(recoveryCallbackToken ? { recoveryCallbackTokens: splitSecrets(recoveryCallbackToken) } : {}),
  };
}

function isWhole(credentials: Partial<AccountCredentials>): credentials is AccountCredentials {
  return credentials.retryServiceApiKey !== undefined && credentials.recoveryCallbackTokens !== undefined;
}

function findRefusal(
  config: Config,
  account: string,
  credentials: Partial<AccountCredentials>,
): Refusal | undefined {
  if (config.service.kind === 'embedded') return 'service_embedded';
  if (config.accountSettingsKeys.length === 0) return 'credentials_not_kept';
  if (!isWhole(credentials)) return 'credentials_incomplete';
  const others = createAccounts(config).listed.filter((access) => access.account !== account);
  const taken = new Set(others.flatMap(({ callback }) => callback.tokens));
  return credentials.recoveryCallbackTokens.some((token) => taken.has(token)) ? 'token_taken' : undefined;
}

export const setAccount = defineOperation({
  description: "Set a connected account's name, service key and callback token.",
  movesMoney: false,
  isFinal: true,
  parameters,
  result: z.discriminatedUnion('code', [
    result('changed', 'account_saved', { account, changed }),
    result('unchanged', 'account_saved_already', { account }),
    result('not_found', 'account_not_connected', { account }),
    /** There is no ACCOUNT_SETTINGS_KEY to encrypt them with. */
    result('refused', 'credentials_not_kept', { account }),
    /** The embedded service makes its own. */
    result('refused', 'service_embedded', { account }),
    /** A key without a token, or the other way round. */
    result('refused', 'credentials_incomplete', { account }),
    /** It is the platform's, or another account's. */
    result('refused', 'token_taken', { account }),
  ]),
  run: async ({ database, clock, config: loadConfig }, asking, given) => {
    const config = loadConfig();
    const { account } = given;
    const mode = nameMode(config.livemode);
    const now = clock.now();
    return database.transaction(async (tx) => {
      if (!(await lockActiveAccount(tx, account)))
        return { outcome: 'not_found', code: 'account_not_connected', account };
      const change = await planChange(tx, config, { account, mode }, given);
      if (typeof change === 'string') return { outcome: 'refused', code: change, account };
      const { stored, names } = change;
      if (names.length === 0) return { outcome: 'unchanged', code: 'account_saved_already', account };
      await saveAccountSettings(tx, { account, mode }, stored, now);
      const line = { account, kind: 'account.saved', detail: { mode, changed: names } } as const;
      await recordOperation(tx, asking, now, line);
      return { outcome: 'changed', code: 'account_saved', account, changed: names };
    });
  },
  words: {
    account_saved: ({ account, changed }) => `saved for account ${account}: ${changed.join(', ')}`,
    account_saved_already: ({ account }) => `nothing changed: account ${account} had these settings before`,
    account_not_connected: ({ account }) =>
      `${account} is no connected account that is known here and gives access`,
    credentials_not_kept: ({ account }) =>
      `nothing was saved for account ${account}: set ACCOUNT_SETTINGS_KEY, which encrypts its credentials, and start again`,
    service_embedded: ({ account }) =>
      `nothing was saved for account ${account}: the embedded service makes a key and a token for each account`,
    credentials_incomplete: ({ account }) =>
      `nothing was saved for account ${account}: a service key of its own needs a callback token of its own, and the other way round`,
    token_taken: ({ account }) =>
      `nothing was saved for account ${account}: choose another callback token, this one is used elsewhere`,
  },
  history: { 'account.saved': 'settings of the account were saved' },
  app: {
    needs: 'configure',
    request: 'saveSettings',
    words: { account_saved: 'Saved.', account_saved_already: 'Nothing has changed.' },
  },
});
