import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../core/base/logger.ts';
import type { AccountProfile, StripeClient } from '../clients/stripe-client.ts';
import { OWN_ACCOUNT } from '../settings/account.ts';
import type { Config } from '../settings/config.ts';

interface ProfileDeps {
  readonly businessEntityOf: (account: string) => Promise<string | undefined>;
  readonly stripe: Pick<StripeClient, 'findProfile'>;
  readonly logger: Logger;
  readonly config: {
    readonly stripe: Pick<Config['stripe'], 'context'>;
    readonly connectedAccounts: Pick<Config['connectedAccounts'], 'listed'>;
  };
}

/** Stripe waits for the answer to its event meanwhile. */
const OWN_ID_MS = 2_000;
const UNKNOWN = { id: undefined, name: 'Stripe account', color: undefined };
const HELP = 'name our own in BUSINESS_ENTITY, a connected one in CONNECTED_ACCOUNTS';

/** Asks Stripe once for each account and shares the answer with concurrent callers. A failed request is repeated at the next call. */
export function rememberProfiles({ businessEntityOf, stripe, logger, config }: ProfileDeps) {
  const known = new Map<string, Promise<AccountProfile | typeof UNKNOWN>>();
  const ask = async (account: string) => {
    try {
      const asked = await stripe.findProfile(account);
      if (!asked) logger.warn({ account }, `the key may not read the account: ${HELP}`);
      return asked ?? UNKNOWN;
    } catch (error) {
      known.delete(account);
      throw error;
    }
  };
  const profileOf = (account: string) => {
    const profile = known.get(account) ?? ask(account);
    known.set(account, profile);
    return profile;
  };
  const findName = async (account: string) => {
    const profile = await profileOf(account);
    return profile === UNKNOWN ? undefined : profile.name;
  };
  const ownId = config.stripe.context?.split('/').at(-1);
  /** The account's id at Stripe; undefined where the key may not read the account. */
  const idOf = async (account: string) =>
    account === OWN_ACCOUNT ? (ownId ?? (await profileOf(account)).id) : account;
  return {
    /** The configured name, or the account's own; where it is known, that of the account for which an invoice is made out. */
    nameOf: async (account: string, onBehalfOf?: string) =>
      (onBehalfOf === undefined ? undefined : await findName(onBehalfOf)) ??
      (await businessEntityOf(account)) ??
      (await profileOf(account)).name,
    idOf,
    /** Whether an account that an event names is our own. One that the settings list is a connected one. */
    isOwn: async (account: string) => {
      if (config.connectedAccounts.listed.has(account)) return false;
      const asked = idOf(OWN_ACCOUNT).catch(() => undefined);
      return account === (await Promise.race([asked, sleep(OWN_ID_MS, undefined, { ref: false })]));
    },
    /** The color of the account's branding, if any. */
    colorOf: async (account: string) => (await profileOf(account)).color,
  };
}
