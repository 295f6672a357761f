/** Which accounts are served, and with which service, credentials and name. Pure: it follows from the settings. */
import { OWN_ACCOUNT } from './account.ts';
import type { Config } from './config.ts';
import { type AccountSettings, isAccountId } from './connected-accounts.ts';
import { type CallbackSettings, deriveSecret } from './service-settings.ts';

export interface AccountAccess {
  readonly account: string;
  /** No address: the embedded service, which is asked in this process. */
  readonly service: {
    readonly baseUrl: URL | undefined;
    /** Where its listings are, if not under that. */
    readonly listingUrl?: URL | undefined;
    readonly apiKey: string;
  };
  readonly callback: CallbackSettings;
  /** The configured name; when absent Stripe is asked for the account's name. */
  readonly businessEntity: string | undefined;
}

/** Access with the account's own settings; undefined for an account that the settings do not admit. */
export type AccessOf = (account: string) => Promise<AccountAccess | undefined>;

export interface Accounts {
  /** Our own account first, then those that the settings list. */
  readonly listed: readonly AccountAccess[];
  /** Undefined for an account that the settings do not admit. */
  find(account: string): AccountAccess | undefined;
}

type AccountsConfig = Pick<
  Config,
  'stripe' | 'service' | 'callback' | 'businessEntity' | 'connectedAccounts'
>;

export function createAccounts(config: AccountsConfig): Accounts {
  const { listed: connected, others } = config.connectedAccounts;
  const listed = [ownAccess(config), ...[...connected].map(([id, own]) => accessOf(config, id, own))];
  const known = new Map(listed.map((access) => [access.account, access]));
  return {
    listed,
    find: (account) => {
      const found = known.get(account);
      if (found || !others || !isAccountId(account)) return found;
      return accessOf(config, account, others);
    },
  };
}

function ownAccess({ service, callback, businessEntity }: AccountsConfig): AccountAccess {
  const isRemote = service.kind === 'remote';
  const [baseUrl, listingUrl] = isRemote ? [service.baseUrl, service.listingUrl] : [];
  const { apiKey } = service;
  return { account: OWN_ACCOUNT, service: { baseUrl, listingUrl, apiKey }, callback, businessEntity };
}

/** The name is never that of the platform's own business: customers know the merchant. */
function accessOf(config: AccountsConfig, account: string, own: AccountSettings): AccountAccess {
  const { service } = config;
  const isRemote = service.kind === 'remote';
  const apiKey = isRemote ? service.apiKey : derive(config, account, 'embedded service key');
  return {
    account,
    service: {
      baseUrl: isRemote ? (own.retryServiceUrl ?? service.baseUrl) : undefined,
      listingUrl: isRemote && !own.retryServiceUrl ? service.listingUrl : undefined,
      apiKey: own.retryServiceApiKey ?? apiKey,
    },
    callback: callbackOf(config, account, own),
    businessEntity: own.businessEntity,
  };
}

/** An account with credentials of its own takes only these. */
function callbackOf(config: AccountsConfig, account: string, own: AccountSettings): CallbackSettings {
  const { recoveryCallbackToken: tokens, recoveryCallbackBasic: basic } = own;
  if (tokens || basic) return { tokens: tokens ?? [], basic };
  if (config.service.kind === 'remote') return config.callback;
  return { tokens: [derive(config, account, 'embedded callback token')], basic: undefined };
}

function derive({ stripe }: AccountsConfig, account: string, purpose: string): string {
  return deriveSecret(stripe.secretKey, `${purpose} of ${account}`);
}
