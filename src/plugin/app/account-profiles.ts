import type { Logger } from '../../core/base/logger.ts';
import type { AccountProfile, StripeClient } from '../clients/stripe-client.ts';
import { OWN_ACCOUNT } from '../settings/account.ts';

interface ProfileDeps {
  readonly businessEntityOf: (account: string) => Promise<string | undefined>;
  readonly stripe: Pick<StripeClient, 'findProfile'>;
  readonly logger: Logger;
}

export interface Profiles {
  /** The configured name, or the account's own; where it is known, that of the account for which an invoice is made out. */
  nameOf(account: string, onBehalfOf?: string): Promise<string>;
  /** As Stripe names it; undefined where the key may not read the account. */
  idOf(account: string): Promise<string | undefined>;
  /** Of the account's branding, if it has one. */
  colorOf(account: string): Promise<string | undefined>;
}

const UNKNOWN = { id: undefined, name: 'Stripe account', color: undefined };
const HELP = 'name our own in BUSINESS_ENTITY, a connected one in CONNECTED_ACCOUNTS';

/** Asks Stripe once for each account, whoever asks meanwhile. An answer that does not come is asked for again. */
export function rememberProfiles({ businessEntityOf, stripe, logger }: ProfileDeps): Profiles {
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
  return {
    nameOf: async (account, onBehalfOf) =>
      (onBehalfOf === undefined ? undefined : await findName(onBehalfOf)) ??
      (await businessEntityOf(account)) ??
      (await profileOf(account)).name,
    idOf: async (account) => (account === OWN_ACCOUNT ? (await profileOf(account)).id : account),
    colorOf: async (account) => (await profileOf(account)).color,
  };
}
