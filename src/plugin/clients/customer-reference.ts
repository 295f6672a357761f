/**
 * The owner of a Stripe object: a customer, or an account of Accounts v2 in its place. If Stripe names both, they are the
 * same person, and the customer's id is used (docs.stripe.com/accounts-v2/use-accounts-as-customers).
 */

export interface Owned {
  readonly customer?: string | { readonly id: string } | null | undefined;
  readonly customer_account?: string | null | undefined;
}

export function customerIdOf({ customer, customer_account: account }: Owned): string | undefined {
  return (typeof customer === 'string' ? customer : customer?.id) ?? account ?? undefined;
}

/** All of Stripe's ids of the owner. */
export function ownerIdsOf(owned: Owned): string[] {
  const ids = [customerIdOf({ customer: owned.customer }), owned.customer_account];
  return ids.filter((id) => id !== undefined && id !== null);
}

export function isAccount(customerId: string): boolean {
  return customerId.startsWith('acct_');
}

/** Stripe's list parameter for a customer. */
export function ownedBy(customerId: string): { customer: string } | { customer_account: string } {
  return isAccount(customerId) ? { customer_account: customerId } : { customer: customerId };
}
