/** The account of a single-account installation. Connected accounts go by their `acct_…` id. */
export const OWN_ACCOUNT = 'own';
