/**
 * Customers that are accounts of Accounts v2. Inside the sandbox they are customers like all others; what leaves it names
 * the account in `customer_account` and no `customer`, and what comes in may name it so.
 */
import type { World } from './sandbox-world.ts';

type Accounts = Pick<World, 'customerAccounts'>;

/** A copy as Stripe shows it. */
export function showAccounts<T>(world: Accounts, value: T): T {
  if (world.customerAccounts.size === 0) return value;
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) => showOwner(world, part));
}

function showOwner({ customerAccounts }: Accounts, part: unknown): unknown {
  if (!isFields(part) || !('customer_account' in part) || !('customer' in part)) return part;
  const owner = isFields(part.customer) ? part.customer.id : part.customer;
  const account = customerAccounts.get(String(owner));
  return account === undefined ? part : { ...part, customer: null, customer_account: account };
}

/** The customer's id for an account's, in a path or among parameters. */
export function findAccountOwner({ customerAccounts }: Accounts, id: string): string | undefined {
  for (const [customer, account] of customerAccounts) if (account === id) return customer;
  return undefined;
}

export function readOwner(world: Accounts, params: Record<string, unknown>): Record<string, unknown> {
  const { customer_account: account, ...rest } = params;
  const customer = typeof account === 'string' ? findAccountOwner(world, account) : undefined;
  return customer === undefined ? params : { ...rest, customer };
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
