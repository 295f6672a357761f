/** Whose records a request is about. The account is signed; whether it is ours to serve is decided here. */
import { OWN_ACCOUNT } from '../config/account.ts';
import type { Accounts } from '../config/accounts.ts';
import type { Config } from '../config/config.ts';
import type { Queryable } from '../store/engine/database.ts';
import { findAccountObjection } from '../store/tables/stored-accounts.ts';
import { AppRefusal } from './app-refusal.ts';
import type { AppRequest } from './app-request.ts';

export interface AccountDeps {
  readonly config: Pick<Config, 'livemode'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly database: Queryable;
  /** Undefined where the key may not read the account that it belongs to. */
  readonly idOf: (account: string) => Promise<string | undefined>;
  /** Makes the account known: its first view may come before its first event. */
  readonly admit: (account: string) => Promise<void>;
}

/** As it stands in our tables. Throws AppRefusal. */
export async function findAppAccount(
  { config, accounts, database, idOf, admit }: AccountDeps,
  { account_id: id, mode }: Pick<AppRequest, 'account_id' | 'mode'>,
): Promise<string> {
  if (config.livemode !== undefined && config.livemode !== (mode === 'live'))
    throw new AppRefusal('other_mode');
  if (id === (await idOf(OWN_ACCOUNT))) return OWN_ACCOUNT;
  const objection = await findAccountObjection(database, accounts, id);
  if (objection?.code === 'account_not_configured') throw new AppRefusal('account_unknown');
  if (objection) throw new AppRefusal('account_disconnected');
  await admit(id);
  return id;
}
