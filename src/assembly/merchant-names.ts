import type { Accounts } from '../accounts.ts';
import type { StripeClient } from '../clients/stripe-client.ts';
import type { Logger } from '../logger.ts';

interface NameDeps {
  readonly accounts: Pick<Accounts, 'find'>;
  readonly stripe: Pick<StripeClient, 'findAccountName'>;
  readonly logger: Logger;
}

const HELP = 'name our own in BUSINESS_ENTITY, a connected one in CONNECTED_ACCOUNTS';

/** The configured name, or each account's own, asked for once. */
export function rememberNames(deps: NameDeps): (account: string) => Promise<string> {
  const known = new Map<string, string>();
  return async (account) => {
    const remembered = deps.accounts.find(account)?.businessEntity ?? known.get(account);
    if (remembered !== undefined) return remembered;
    const asked = await deps.stripe.findAccountName(account);
    if (asked === undefined) deps.logger.warn({ account }, `the key may not read the account: ${HELP}`);
    const name = asked ?? 'Stripe account';
    known.set(account, name);
    return name;
  };
}
