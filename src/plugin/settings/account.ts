/** The account of a single-account installation. Connected accounts go by their `acct_…` id. */
export const OWN_ACCOUNT = 'own';

/** `unknown`: the key does not say, as that of a local stand-in. */
export type StripeMode = 'live' | 'test' | 'unknown';

export function nameMode(livemode: boolean | undefined): StripeMode {
  if (livemode === undefined) return 'unknown';
  return livemode ? 'live' : 'test';
}
