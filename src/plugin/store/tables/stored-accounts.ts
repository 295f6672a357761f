/** Known connected accounts, and those that revoked our access. Our own account has no row. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { Reason } from '../../reasons/reason.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import type { Accounts } from '../../settings/accounts.ts';

/** Revocation wins within the same second. */
const REVOKED = `deauthorized_at is not null and (authorized_at is null or deauthorized_at >= authorized_at)`;

/** Returns true for a new account. */
export function rememberAccount(db: Queryable, account: string, now: DateTime) {
  return db.has(
    `insert into payment_retry.accounts (account, first_seen_at) values ($1, $2)
     on conflict (account) do nothing returning account`,
    [account, now],
  );
}

/** `at` is Stripe's time of the change. */
export async function noteAccess(
  db: Queryable,
  account: string,
  change: { kind: 'authorized' | 'deauthorized'; at: DateTime },
) {
  const column = `${change.kind}_at`;
  await db.query(
    `insert into payment_retry.accounts (account, first_seen_at, ${column}) values ($1, $2, $2)
     on conflict (account) do update set ${column} = greatest(accounts.${column}, excluded.${column})`,
    [account, change.at],
  );
}

export async function isRevoked(db: Queryable, account: string): Promise<boolean> {
  if (account === OWN_ACCOUNT) return false;
  return db.has(`select 1 as one from payment_retry.accounts where account = $1 and ${REVOKED}`, [account]);
}

/** Makes a new authorization wait until the transaction ends. False if access was restored. */
export function holdsRevocation(tx: Queryable, account: string) {
  return tx.has(`select 1 as one from payment_retry.accounts where account = $1 and ${REVOKED} for share`, [
    account,
  ]);
}

/** Makes other changes of the account wait until the transaction ends. False for an unknown or revoked account. */
export function lockActiveAccount(tx: Queryable, account: string) {
  return tx.has(
    `select 1 as one from payment_retry.accounts where account = $1 and not (${REVOKED}) for update`,
    [account],
  );
}

type AccountObjection = Extract<Reason, { code: 'account_not_configured' | 'access_revoked' }>;

/** Why an account is not served; undefined if it is. */
export async function findAccountObjection(
  db: Queryable,
  accounts: Pick<Accounts, 'find'>,
  account: string,
): Promise<AccountObjection | undefined> {
  if (!accounts.find(account)) return { code: 'account_not_configured', account };
  return (await isRevoked(db, account)) ? { code: 'access_revoked', account } : undefined;
}

/** Our own account, and all known ones with access. */
export async function listActiveAccounts(db: Queryable) {
  const rows = await db.query<{ account: string }>(
    `select account from payment_retry.accounts where not (${REVOKED}) order by first_seen_at, account`,
  );
  return [OWN_ACCOUNT, ...rows.map((row) => row.account)];
}

/** Invoices with planned actions, and subscriptions before a renewal. */
export function listInvoicesWithActions(db: Queryable, account: string) {
  return db.listValues<string>(
    `select distinct coalesce(invoice_id, subscription_id) as id from payment_retry.actions
     where account = $1 and state in ('scheduled', 'running', 'undecided')`,
    [account],
  );
}
