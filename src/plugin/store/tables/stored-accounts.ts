/** Connected accounts: which are known, and which have revoked our access. Our own account has no row. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { Reason } from '../../reasons/reason.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import type { Accounts } from '../../settings/accounts.ts';

/** In doubt, which takes both within one second, access counts as revoked. */
const REVOKED = `deauthorized_at is not null and (authorized_at is null or deauthorized_at >= authorized_at)`;

/** Returns true if the account was not known. */
export async function rememberAccount(db: Queryable, account: string, now: DateTime): Promise<boolean> {
  const rows = await db.query(
    `insert into payment_retry.accounts (account, first_seen_at) values ($1, $2)
     on conflict (account) do nothing returning account`,
    [account, now],
  );
  return rows.length > 0;
}

/** `at` is when Stripe says that it happened. */
export async function noteAccess(
  db: Queryable,
  account: string,
  change: { kind: 'authorized' | 'deauthorized'; at: DateTime },
): Promise<void> {
  const column = `${change.kind}_at`;
  await db.query(
    `insert into payment_retry.accounts (account, first_seen_at, ${column}) values ($1, $2, $2)
     on conflict (account) do update set ${column} = greatest(accounts.${column}, excluded.${column})`,
    [account, change.at],
  );
}

export async function isRevoked(db: Queryable, account: string): Promise<boolean> {
  if (account === OWN_ACCOUNT) return false;
  const rows = await db.query(
    `select 1 as one from payment_retry.accounts where account = $1 and ${REVOKED}`,
    [account],
  );
  return rows.length > 0;
}

/** Keeps whoever gives access back waiting until the transaction ends. False if access is there again. */
export async function holdsRevocation(tx: Queryable, account: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 as one from payment_retry.accounts where account = $1 and ${REVOKED} for share`,
    [account],
  );
  return rows.length > 0;
}

/** Whoever saves for the account or notes its access waits until the transaction ends. False if it is not known, or has revoked access. */
export async function lockActiveAccount(tx: Queryable, account: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 as one from payment_retry.accounts where account = $1 and not (${REVOKED}) for update`,
    [account],
  );
  return rows.length > 0;
}

type AccountObjection = Extract<Reason, { code: 'account_not_configured' | 'access_revoked' }>;

/** Why nothing may be done for an account; undefined if it is served. */
export async function findAccountObjection(
  db: Queryable,
  accounts: Pick<Accounts, 'find'>,
  account: string,
): Promise<AccountObjection | undefined> {
  if (!accounts.find(account)) return { code: 'account_not_configured', account };
  return (await isRevoked(db, account)) ? { code: 'access_revoked', account } : undefined;
}

/** Our own account, and every known one that has not revoked our access. */
export async function listActiveAccounts(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ account: string }>(
    `select account from payment_retry.accounts where not (${REVOKED}) order by first_seen_at, account`,
  );
  return [OWN_ACCOUNT, ...rows.map((row) => row.account)];
}

/** Invoices with something planned, and subscriptions before a renewal. */
export async function listInvoicesWithActions(db: Queryable, account: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select distinct coalesce(invoice_id, subscription_id) as id from payment_retry.actions
     where account = $1 and state in ('scheduled', 'running', 'undecided')`,
    [account],
  );
  return rows.map((row) => row.id);
}
